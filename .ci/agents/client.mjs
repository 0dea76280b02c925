// An agent on the npm SDK: node client.mjs URL ANSWERS [PRESSROOM]. With the program's
// path it connects through `pressroom mcp`.
import { createHash } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [url, wanted, program] = process.argv.slice(2);
const client = new Client({ name: 'npm', version: '1' });
await client.connect(program
  ? new StdioClientTransport({ command: program, args: ['mcp', '--server', url] })
  : new StreamableHTTPClientTransport(new URL(url + '/mcp')));
let answers = 0, citations = 0, wrong = 0;
const called = new Set();
async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${result.content[0].text}`);
  answers++;
  called.add(name);
  return JSON.parse(result.content[0].text);
}
const pages = new Map();
async function page(address) {
  if (!pages.has(address)) {
    const answer = await fetch(address.split('#')[0]);
    pages.set(address, answer.status === 200 ? await answer.text() : '');
  }
  return pages.get(address);
}
// Words of a text as they stand in a page: the longest piece without signs that HTML writes otherwise.
const piece = (text) => text.split(/[\s<>&"'’…]+/).sort((a, b) => b.length - a.length)[0].slice(0, 40);
async function check(citation, text) {
  if (!text) return;
  citations++;
  const again = await call('read_passage', { desk: citation.desk, id: citation.story, passage: citation.passage });
  const same = createHash('sha256').update(again.text).digest('hex') === citation.sha256 && again.text === text;
  const there = (await page(citation.address)).includes(piece(text));
  if (!same || !there) {
    wrong++;
    if (wrong < 10) console.log('does not resolve:', same, there, citation.address, citation.passage, piece(text));
  }
}
const tools = (await client.listTools()).tools.map((t) => t.name);
const prompts = (await client.listPrompts()).prompts;
for (const p of prompts) await client.getPrompt({ name: p.name, arguments: { [p.arguments[0].name]: 'x' } });
let cursor = '';
do {
  const list = await call('list_stories', { limit: 50, cursor });
  for (const st of list.items) {
    await check(st.citation, st.summary);
    for (let at = '0'; at && answers < wanted; ) {
      const full = await call('read_story', { desk: st.desk, id: st.id, cursor: at });
      for (const p of full.passages) if (answers < wanted) await check(p.citation, p.text);
      at = full.next_cursor;
    }
    if (answers >= wanted) break;
  }
  cursor = list.next_cursor;
} while (cursor && answers < wanted);
for (const q of ['図書館', 'library', '法案']) for (const hit of (await call('search', { q })).items) await check(hit.citation, hit.summary);
await client.close();
console.log(`npm${program ? ', over pipes' : ''}: ${answers} answers of ${called.size} of ${tools.length} tools, ${prompts.length} prompts, ${citations} citations, ${wrong} do not resolve`);
process.exit(wrong ? 1 : 0);
