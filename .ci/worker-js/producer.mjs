// A producer of minutes tasks in JavaScript, after documents 000 and 001 alone: it knows
// nothing of what Pressroom adds. It reads meetings as the minutes API writes them, one
// JSON object a line, and writes prompt and task of each.
//
//   node producer.mjs 000|001 < meetings.ndjson
//
//   AWS_ENDPOINT_URL     the DynamoDB and S3 endpoint
//   LLM_TASK_TABLE, PROMPT_BUCKET_NAME   if they have other names
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";

const contract = process.argv[2] ?? "000";
const table = process.env.LLM_TASK_TABLE ?? "PoliTopics-llm-tasks";
const bucket = process.env.PROMPT_BUCKET_NAME ?? "politopics-prompts";
const tables = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const objects = new S3Client({ forcePathStyle: true });

const houses = { 衆議院: "shugi", 参議院: "sangi", 両院: "joint" };

// key is 000's hash of session, house and issueID, or 001's issueID.
const key = (m) => contract === "001" ? m.issueID : createHash("sha256")
  .update(`session=${m.session}|house=${houses[m.nameOfHouse] ?? m.nameOfHouse}|issueID=${m.issueID}`).digest("hex");

async function put(name, value) {
  await objects.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: JSON.stringify(value), ContentType: "application/json" }));
  return `s3://${bucket}/${name}`;
}

async function produce(m) {
  const meeting = { issueID: m.issueID, nameOfMeeting: m.nameOfMeeting, nameOfHouse: m.nameOfHouse, date: m.date, numberOfSpeeches: m.speechRecord.length };
  if (contract !== "001") meeting.session = Number(m.session);
  const prompt = await put(`prompts/reduce/${m.issueID}_direct.json`, {
    mode: "direct", chunkPromptTemplate: "Summarise.", reducePromptTemplate: "Put it together.", meeting,
    range: { from: m.date, until: m.date }, speeches: m.speechRecord,
  });
  const now = new Date().toISOString();
  await tables.send(new PutCommand({
    TableName: table, ConditionExpression: "attribute_not_exists(pk)",
    Item: {
      pk: key(m), status: "pending", llm: "gemini", llmModel: "gemini-2.5-pro", retryAttempts: 0, createdAt: now, updatedAt: now,
      processingMode: contract === "001" ? "direct" : "single_chunk", ...(contract !== "001" && { prompt_version: "1" }),
      prompt_url: prompt, result_url: `s3://${bucket}/results/${m.issueID}_reduce.json`, meeting, ...(contract !== "001" && { chunks: [] }),
    },
  }));
}

let made = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  await produce(JSON.parse(line));
  made += 1;
}
console.log(JSON.stringify({ made }));
