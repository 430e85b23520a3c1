export { Type } from "@pintle/ai/type";
