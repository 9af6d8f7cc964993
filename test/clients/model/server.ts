/**
 * A model whose answers are written by a script, on loopback. The script and the client take turns: a request of the
 * client is a question, the script's next call is its answer, and what the client then sends holds what the model
 * received. The same address serves as the client's proxy, so that a request to anywhere else ends here and is noted.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.js";
import { Channel } from "./channel.js";
import { chat } from "./chat.js";
import { gemini } from "./gemini.js";
import type { Body, Question, Reply } from "./protocol.js";
import { responses } from "./responses.js";

const protocols = [anthropic, chat, responses, gemini];

export interface Request {
  readonly path: string;
  readonly body: Body;
  readonly question: Question;
}

/** One conversation of a client with the model, the main one or a subagent's. */
export class Conversation {
  private readonly questions = new Channel<Question>();
  private readonly replies = new Channel<Reply>();
  private isOver = false;

  /** The client's side. After the script has ended every further question gets a closing word. */
  ask(question: Question): Promise<Reply> {
    if (this.isOver) return Promise.resolve({ text: "done" });
    this.questions.put(question);
    return this.replies.take();
  }

  /** The script's side: what the client asks next. */
  next(): Promise<Question> {
    return this.questions.take();
  }

  say(reply: Reply): void {
    this.replies.put(reply);
  }

  end(text: string): void {
    this.isOver = true;
    this.replies.put({ text });
  }

  fail(reason: Error): void {
    this.questions.fail(reason);
    this.isOver = true;
    this.replies.put({ text: "done" });
  }
}

export class ScriptedModel {
  readonly requests: Request[] = [];
  /** Addresses outside that the client tried to reach through us. */
  readonly strays: string[] = [];
  private readonly conversations = new Map<string, Conversation>();

  private constructor(
    private readonly server: Server,
    /** Questions that belong to no conversation: titles, summaries. They get a text at once. */
    private readonly isSide: (question: Question) => boolean,
  ) {}

  static async start(isSide: (question: Question) => boolean): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server, isSide);
    server.on("request", (request, response) => model.serve(request, response));
    server.on("connect", (request, socket) => {
      model.strays.push(request.url ?? "");
      socket.on("error", () => undefined);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The conversation whose opening holds the mark. */
  conversation(mark: string): Conversation {
    const conversation = new Conversation();
    this.conversations.set(mark, conversation);
    return conversation;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const target = new URL(request.url ?? "/", this.url);
    if (target.origin !== this.url) this.strays.push(target.href);
    const path = target.pathname;
    const protocol = protocols.find((one) => one.answers(path));
    if (target.origin !== this.url || request.method !== "POST" || !protocol) {
      const body = JSON.stringify({ error: { message: "the scripted model has no such route" } });
      response.writeHead(404, { "content-type": "application/json" }).end(body);
      return;
    }
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}");
    const question = protocol.read(body);
    this.requests.push({ path, body, question });
    const answer = protocol.write({ path, body }, await this.reply(path, question));
    response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  }

  private reply(path: string, question: Question): Promise<Reply> | Reply {
    const isCount = /count_?tokens$/i.test(path);
    if (isCount || !question.offersTools || this.isSide(question)) return { text: summary };
    const all = [...this.conversations];
    // Compaction may take the mark away: then it is the first conversation that goes on.
    const [, asked] = all.findLast(([mark]) => question.opening.includes(mark)) ?? all[0] ?? [];
    return asked?.ask(question) ?? { text: "nobody is expected to ask this" };
  }
}

/** What a side question gets; a client that compacts takes it as what is left of the conversation. */
const summary = "<summary>The work goes on. No file is quoted here.</summary>";
