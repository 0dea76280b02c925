// Items of the minutes, the newswire and the lexicon, written from their documents alone,
// in JavaScript; then what the newsroom makes of them, over its JSON API and as the
// documents read it.
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { db, get, within } from "./newsroom.mjs";

const s3 = new S3Client({ forcePathStyle: true });
const put = (TableName, Item) => db.send(new PutCommand({ TableName, Item }));
const query = async (TableName, IndexName, name, value, more = {}) =>
  (await db.send(new QueryCommand({ TableName, IndexName, KeyConditionExpression: "#k = :k", ExpressionAttributeNames: { "#k": name }, ExpressionAttributeValues: { ":k": value }, ...more }))).Items;

function must(holds, what) {
  if (!holds) throw new Error(what);
}

// An article of the minutes, its index items and its asset.
const id = "121805261X00420250926", iso = "2025-09-26", table = "PoliTopics-articles";
const light = { title: "JavaScript の議事", date: iso, month: "2025-09", imageKind: "会議録", session: 218, nameOfHouse: "衆議院", nameOfMeeting: "予算委員会" };
const Key = { PK: `A#${id}`, SK: "META" };
await s3.send(new PutObjectCommand({ Bucket: "politopics-articles", Key: `articles/${id}/asset.json`, ContentType: "application/json", Metadata: { "source-url": "https://kokkai.example/" },
  Body: JSON.stringify({ summary: { summary: "要約", based_on_orders: [1] }, soft_language_summary: { summary: "やさしく", based_on_orders: [1] }, middle_summary: [], dialogs: [] }) }));
const head = await s3.send(new HeadObjectCommand({ Bucket: "politopics-articles", Key: `articles/${id}/asset.json` }));
must(head.Metadata["source-url"] === "https://kokkai.example/", `the metadata are ${JSON.stringify(head.Metadata)}`);
await put(table, { ...Key, type: "ARTICLE", asset_url: `https://assets.example/articles/${id}/asset.json`, GSI1PK: "ARTICLE", GSI1SK: iso, GSI2PK: "Y#2025#M#09", GSI2SK: iso, ...light,
  categories: ["財政"], description: "説明", participants: [{ name: "佐藤　一郎", summary: "質問した" }], keywords: [{ keyword: "ＧＤＰ", priority: "high" }], terms: [{ term: "補正予算", definition: "追加の予算" }] });
for (const PK of ["CATEGORY#財政", "PERSON#佐藤　一郎", "KEYWORD#ＧＤＰ", "IMAGEKIND#会議録", "SESSION#218", "HOUSE#衆議院", "MEETING#予算委員会", `ISSUE#${id}`])
  await put(table, { PK, SK: `Y#2025#M#09#D#${iso}#A#${id}`, type: "THIN_INDEX", ...light });
must((await get(`/minutes/articles/${id}`)).title === light.title, "the article is not read by its id");
const listed = async (by) => (await get(`/minutes/articles?${by}`)).items.some((a) => a.id === id);
for (const by of ["", `person=${encodeURIComponent("佐藤 一郎")}`, "keyword=gdp", `category=${encodeURIComponent("財政")}`, "session=218", "month=2025-09"])
  await within(5, `the list by ${by || "date"}`, () => listed(by));
must((await query(table, "ArticleByDate", "GSI1PK", "ARTICLE", { ScanIndexForward: false })).some((a) => a.PK === Key.PK), "it is not in ArticleByDate");
must((await query(table, "MonthDateIndex", "GSI2PK", "Y#2025#M#09")).some((a) => a.PK === Key.PK), "it is not in MonthDateIndex");
await db.send(new UpdateCommand({ TableName: table, Key, UpdateExpression: "SET title = :t", ExpressionAttributeValues: { ":t": "改めた題" } }));
await within(5, "the new title", async () => (await get("/minutes/articles?month=2025-09")).items.some((a) => a.title === "改めた題"));
await db.send(new DeleteCommand({ TableName: table, Key }));
await within(5, "the list without it", async () => !(await listed("keyword=gdp")));
await get(`/minutes/articles/${id}`, 404);

// A site of the newswire, an article with its summary, a run, a retry.
const news = "summanow", at = "2026-11-05T09:00:00Z", article = "js-article";
await put(news, { PK: "SITE#js", SK: "METADATA", siteId: "js", name: "JS News", category: "press_release", baseUrl: "https://js.example/", crawlWindows: [{ start: "06:30", end: "07:15" }],
  allowedPaths: ["/"], requestIntervalMs: 1000, timezone: "Asia/Tokyo", createdAt: at, updatedAt: at, GSI1PK: "CATEGORY#press_release", GSI1SK: "JS News" });
await put(news, { PK: "SITE#js", SK: `ARTICLE#${at}#${article}`, articleId: article, siteId: "js", title: "Released in JavaScript", url: "https://js.example/1", canonicalHash: "j".repeat(64), publishedAt: at,
  fetchedAt: at, bodyPlain: "A library was released today. ".repeat(20), wordCount: 100, topics: ["javascript"], status: "summarized", summaryId: "js-summary", lastSummaryAttemptAt: at,
  GSI2PK: `ARTICLE#${article}`, GSI2SK: "METADATA", GSI3PK: "STATUS#summarized", GSI3SK: at });
await put(news, { PK: `ARTICLE#${article}`, SK: "SUMMARY#v1", summaryId: "js-summary", articleId: article, modelProvider: "openai", modelId: "gpt-4o-mini", promptTemplateId: "p", summaryText: "A library was released.",
  confidence: 0.9, generatedAt: at, tokenUsage: { input: 10, output: 5 }, disclaimer: "generated" });
await put(news, { PK: "SITE#js", SK: `CRAWL#${at}`, runId: "js-run", siteId: "js", triggerType: "manual", startedAt: at, completedAt: at, status: "success", processedCount: 1, newArticles: 1, failedArticles: 0,
  errorSummary: "", GSI4PK: "RUN#js-run", GSI4SK: "METADATA", GSI5PK: "STATUS#success", GSI5SK: at });
must((await get(`/newswire/articles/${article}`)).title === "Released in JavaScript", "the article is not read by its id");
for (const by of ["", "site=js", "category=press_release", "topic=javascript"])
  await within(5, `the articles by ${by || "date"}`, async () => (await get(`/newswire/articles?${by}&limit=100`)).items.some((a) => a.articleId === article));
must((await query(news, "GSI2", "GSI2PK", `ARTICLE#${article}`))[0].bodyPlain.startsWith("A library"), "GSI2 does not show the article");
must((await query(news, "GSI4", "GSI4PK", "RUN#js-run"))[0].newArticles === 1, "GSI4 does not show the run");
must((await query(news, undefined, "PK", `ARTICLE#${article}`)).some((s) => s.summaryText === "A library was released."), "the summary is not under its article");

// A term of the lexicon, and a proposal.
const now = "2026-11-05T00:00:00Z", term = { PK: "TERM#yeet", SK: "METADATA#lexicon" };
await put("LexiconTable", { ...term, source: "SOURCE#lexicon", term: "yeet", gloss: "to throw", variants: ["yeeted"], examples: ["Yeet it."], tags: ["motion"], regions: ["US"], sources: { vine: 3 },
  first_attested: "2014", attestation_note: "", is_quiz_eligible: true, quiz_difficulty: "beginner", quiz_category: "motion", quiz_score: 0.9, confidence: 0.9, momentum: 0.9, last_updated: now });
must((await get("/lexicon/terms/yeet")).gloss === "to throw", "the term is not read by its slug");
await within(5, "the term by its variant", async () => (await get("/lexicon/terms?q=yeeted")).items.some((t) => t.slug === "yeet"));
await within(5, "the term by its tag", async () => (await get("/lexicon/terms?tag=motion")).items.some((t) => t.slug === "yeet"));
must((await query("LexiconTable", "LexiconQuizCategoryIndex", "quiz_category", "motion", { ScanIndexForward: false }))[0].term === "yeet", "it is in no quiz");
await put("SubmissionsTable", { PK: "TERM#skrrt", SK: "SUBMISSION#js-1", submission_id: "js-1", user_id: "js", slang_term: "skrrt", meaning: "to leave fast", example_usage: "He skrrt.", context: "cars", status: "validated",
  created_at: now, llm_validation_status: "validated", upvotes: 1, upvoted_by: ["someone"] });
await within(5, "the proposal in the moderators' queue", async () =>
  (await query("SubmissionsTable", "SubmissionsQueueIndex", "queue", "QUEUE#validated")).some((s) => s.submission_id === "js-1"));
must((await query("SubmissionsTable", "SubmissionsByIdIndex", "submission_id", "js-1"))[0].upvotes === 1, "its votes are lost");
await db.send(new DeleteCommand({ TableName: "LexiconTable", Key: term }));
await get("/lexicon/terms/yeet", 404);
must(!(await db.send(new GetCommand({ TableName: "LexiconTable", Key: term }))).Item, "it is still there");
await db.send(new DeleteCommand({ TableName: "SubmissionsTable", Key: { PK: "TERM#skrrt", SK: "SUBMISSION#js-1" } }));
console.log("the items in JavaScript lived");
