// Loaded when a page first changes, since most readers leave before that.
export { Idiomorph } from "idiomorph";
