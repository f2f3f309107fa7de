// Pages load this module only when they first change, since most readers leave before that.
export { Idiomorph } from "idiomorph";
