import { guards } from "../every-client.js";

guards("codex");
