import { guards } from "../every-client.js";

guards("qwen-code");
