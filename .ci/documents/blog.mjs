// A post written by a program that knows the blog's document alone, in JavaScript.
import { DeleteCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { db, get, within } from "./newsroom.mjs";

const TableName = "blog", pk = "POST#js1", at = "2024-02-01T00:00:00Z";
const card = { title: "Written in JavaScript", status: "published", createdAt: at, summary: "By the document", thumbnail: "https://images.example/j.jpg" };

const listed = async () => (await get("/blog/posts?tag=JavaScript")).items.some((p) => p.id === "js1");

await db.send(new TransactWriteCommand({ TransactItems: [
  { pk, sk: "METADATA", updatedAt: at, ...card },
  { pk, sk: "STATUS#published", ...card },
  { pk, sk: "BLOCK#00001", type: "text", content: "Hello from *JavaScript*.", layout: "full" },
  { pk, sk: "TAG#JavaScript", tagName: "JavaScript" },
].map((Item) => ({ Put: { TableName, Item } })) }));
if ((await get("/blog/posts/js1")).title !== card.title) throw new Error("it is not read by its id");
await within(5, "the list by tag", listed);

// Changed, then unpublished and deleted, item by item.
await db.send(new PutCommand({ TableName, Item: { pk, sk: "BLOCK#00001", type: "text", content: "Changed in JavaScript.", layout: "full" } }));
await within(5, "the changed text", async () => JSON.stringify(await get("/blog/posts/js1")).includes("Changed in JavaScript."));
await db.send(new TransactWriteCommand({ TransactItems: [
  { Put: { TableName, Item: { pk, sk: "METADATA", updatedAt: at, ...card, status: "draft" } } },
  { Delete: { TableName, Key: { pk, sk: "STATUS#published" } } },
  { Put: { TableName, Item: { pk, sk: "STATUS#draft", ...card, status: "draft" } } },
] }));
await get("/blog/posts/js1", 404);
await within(5, "the list without it", async () => !(await listed()));
const { Items } = await db.send(new QueryCommand({ TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": pk } }));
for (const { sk } of Items) await db.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
console.log("the post in JavaScript lived");
