import { guards } from "../every-client.js";

guards("claude-code");
