// Records what the Vercel AI SDK logs of the turns of agents_calls.py, whose server listens at the port that is given. It writes
// ../vercel.agent.jsonl, and vercel.spans.json beside it, as the SDK's telemetry exports it, for ../otlp.
import { writeFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { generateText, stepCountIs, tool } from "ai";
import { z } from "zod";

const [port, out] = process.argv.slice(2);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const spans = new InMemorySpanExporter();
const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "help-desk" }),
  spanProcessors: [new SimpleSpanProcessor(spans)],
});
const model = createOpenAICompatible({ name: "scripted", baseURL: `http://127.0.0.1:${port}/v1` })("small-4");
const orders = { 4711: { order: 4711, status: "sent", carrier: "Posten", expected: "2026-11-24" } };
const tools = {
  find_order: tool({
    description: "Finds an order by its number.",
    inputSchema: z.object({ order: z.number() }),
    execute: async ({ order }) => {
      if (!orders[order]) throw new Error(`no order ${order}`);
      return orders[order];
    },
  }),
  refund_order: tool({
    description: "Pays an amount back to the customer of an order.",
    inputSchema: z.object({ order: z.number(), amount: z.number() }),
    execute: async (input) => ({ ...input, refunded: true }),
  }),
};
const rows = [];
for (const prompt of ["Where is my order 4711?", "Please refund my order 4712."]) {
  const system = "You are the help desk of a shop. Look orders up before you answer.";
  const result = await generateText({
    model, tools, system, prompt, stopWhen: stepCountIs(4),
    experimental_telemetry: { isEnabled: true, tracer: provider.getTracer("ai") },
  });
  const { text, finishReason, toolCalls, toolResults, steps, response } = result;
  rows.push(result);
  rows.push({ prompt, text, finishReason, toolCalls, toolResults, steps, response: { id: response.id, modelId: response.modelId } });
  rows.push({ messages: [{ role: "system", content: system }, { role: "user", content: prompt }, ...response.messages] });
}
const stable = (value) =>
  JSON.parse(JSON.stringify(value, (key, v) => (key === "body" || key === "headers" || key === "usage" || key === "totalUsage" ? undefined : v))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-11-21T10:00:01.000Z").replace(/aitxt-\w+/g, "aitxt-1").replaceAll(`127.0.0.1:${port}`, "127.0.0.1:8000"));
writeFileSync(`${out}/vercel.agent.jsonl`, rows.map((row) => JSON.stringify(stable(row)) + "\n").join(""));
writeFileSync(`${out}/vercel.spans.json`, JsonTraceSerializer.serializeRequest(spans.getFinishedSpans()));
