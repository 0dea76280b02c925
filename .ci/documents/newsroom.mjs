// The newsroom's tables and its JSON API, for programs that check what became of their items.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

export const db = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const web = process.env.WEB + "/api/v1";

export async function get(path, want = 200) {
  const res = await fetch(web + path);
  if (res.status !== want) throw new Error(`GET ${path}: ${res.status}: ${await res.text()}`);
  return want === 200 ? res.json() : null;
}
export async function within(seconds, what, holds) {
  for (const end = Date.now() + 1000 * seconds; !(await holds()); await new Promise((r) => setTimeout(r, 200)))
    if (Date.now() > end) throw new Error(`${what}: not after ${seconds} s`);
}
