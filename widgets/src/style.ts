// The style sheet, as text: it travels in the bundle.
import controls from "./controls.css";
import picture from "./picture.css";
import theme from "./theme.css";

export default theme + picture + controls;
