// Loaded when a page first changes: most readers leave before.
export { Idiomorph } from "idiomorph";
