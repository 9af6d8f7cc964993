import { guards } from "../every-client.js";

guards("gemini-cli");
