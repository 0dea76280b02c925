// Package blog is the desk of the team's own posts: content blocks in one or two
// columns, tags, drafts, published and archived posts.
//
// It promises that readers see published posts alone, and a post whole or not at
// all. schema.go declares the data: read it first.
package blog

import "pressroom/model"

// Schema is the blog's table and bucket.
var Schema = model.Schema{
	Name:    "blog",
	Tables:  []model.Table{table},
	Buckets: []model.Bucket{media},
}

const (
	titleMax   = 4 * 200 // bytes, of 200 characters
	summaryMax = 4 * 500
	tagMax     = 4 * 50
	urlMax     = 2048
	blockMax   = 128 << 10
	blocksMax  = 500
)

var (
	states  = []string{"draft", "published", "archived"}
	layouts = []string{"full", "half_left", "half_right"}
	kinds   = []string{"text", "image", "code", "quote", "video"}

	published = &model.Condition{Field: "status", In: []string{"published"}}

	// listed is what a list of posts shows; GSI1 projects it.
	listed = []string{"title", "status", "createdAt", "summary", "thumbnail"}
	// dated is what a list of posts by date shows; GSI2 projects it.
	dated = []string{"title", "status", "createdAt", "summary", "thumbnail", "publishedAt", "updatedAt"}
)

var table = model.Table{
	Name: "blog", Env: "BLOG_TABLE", Purpose: "posts, their blocks, tags and states",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"},
	RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Indexes: []model.Index{
		{Name: "GSI1", PK: model.Key{Name: "GSI1_PK"}, SK: model.Key{Name: "GSI1_SK"}, Projection: model.Include, Include: listed,
			Purpose: "from a tag or a state back to its posts"},
		{Name: "GSI2", PK: model.Key{Name: "GSI2_PK"}, SK: model.Key{Name: "GSI2_SK"}, Projection: model.Include, Include: dated,
			Purpose: "posts by date", Added: "GSI1 sorts by id, and the pages want dates"},
	},
	Entities: []model.Entity{
		{Name: "Post", Doc: "a post's metadata", PK: "POST#{id}", SK: "METADATA", Version: "version", Peak: 10,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "POSTS", SK: "{updatedAt}#{id}"}},
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "title", Size: 60, Max: titleMax},
				{Name: "status", Values: states},
				{Name: "createdAt", Kind: model.Time},
				{Name: "updatedAt", Kind: model.Time},
				{Name: "thumbnail", Optional: true, Size: 80, Max: urlMax},
				{Name: "summary", Size: 300, Max: summaryMax},
				{Name: "publishedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "author", Optional: true, Size: 26, Max: 200, Added: true},
				{Name: "tags", Kind: model.List, Size: 60, Max: 10 * (tagMax + 4), Added: true},
				{Name: "version", Kind: model.Number, Added: true},
				{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
			}},
		{Name: "Status", Doc: "a post's state, for lists by state", PK: "POST#{id}", SK: "STATUS#{status}", Peak: 10,
			Keys: []model.IndexKey{
				{Index: "GSI1", PK: "STATUS#{status}", SK: "POST#{id}"},
				{Index: "GSI2", PK: "STATUS#{status}", SK: "{publishedAt}#{id}", When: published},
			},
			Fields: cardFields()},
		{Name: "Block", Doc: "a part of a post's body", PK: "POST#{id}", SK: "BLOCK#{order:05}", Peak: 200,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128, Added: true},
				{Name: "order", Kind: model.Number},
				{Name: "type", Values: kinds},
				{Name: "content", Size: 900, Max: blockMax},
				{Name: "layout", Values: layouts},
				{Name: "alt", Optional: true, Size: 60, Max: 2000, Added: true},
				{Name: "caption", Optional: true, Size: 60, Max: 2000, Added: true},
				{Name: "language", Optional: true, Size: 4, Max: 64, Added: true},
			}},
		{Name: "Tag", Doc: "a tag on a post", PK: "POST#{id}", SK: "TAG#{tagName}", Peak: 50,
			Keys: []model.IndexKey{
				{Index: "GSI1", PK: "TAG#{tagName}", SK: "POST#{id}"},
				{Index: "GSI2", PK: "TAG#{tagName}", SK: "{publishedAt}#{id}", When: published},
			},
			Fields: append([]model.Field{{Name: "tagName", Size: 8, Max: tagMax}}, cardFields()...)},
		{Name: "SavePart", Doc: "blocks of a save that is not finished", PK: "SAVE#{saveId}", SK: "PART#{part:05}", Peak: 10,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "SAVES", SK: "{createdAt}#{saveId}", When: &model.Condition{Field: "part", In: []string{"0"}}}},
			Fields: []model.Field{
				{Name: "saveId", Size: 26, Max: 64},
				{Name: "part", Kind: model.Number},
				{Name: "id", Size: 26, Max: 128},
				{Name: "createdAt", Kind: model.Time},
				{Name: "blocks", Kind: model.Binary, Size: 2000, Max: 350 << 10},
			},
			Added: "a post with more items than a transaction takes is still saved whole"},
	},
	Patterns: []model.Pattern{
		{Name: "Posts", Ref: "first list, readers 1", Who: "reader", Asks: "posts by date of publication, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Status"}, Given: model.Values{"status": "published"}, Desc: true, Order: "publishedAt", Limit: 20, Shows: dated},
		{Name: "PostPage", Ref: "first list, readers 2", Who: "reader", Asks: "a post's page",
			Op: model.Query, Yields: wholePost, By: []string{"id"}, Limit: 100},
		{Name: "Search", Ref: "first list, readers 3", Who: "reader", Asks: "posts whose title or text contain words",
			Op: model.Outside, Served: "the search index, fed from the table's stream"},
		{Name: "PostsByTag", Ref: "first list, readers 4", Who: "reader", Asks: "posts with a tag",
			Op: model.Query, Index: "GSI2", Yields: []string{"Tag"}, By: []string{"tagName"}, Desc: true, Order: "publishedAt", Limit: 20, Shows: dated},
		{Name: "About", Ref: "first list, readers 5", Who: "reader", Asks: "who writes here",
			Op: model.Outside, Served: "the configuration, which holds the profile"},
		{Name: "Contact", Ref: "first list, readers 6", Who: "reader", Asks: "send a message",
			Op: model.Outside, Served: "SMTP, or the operators' inbox without a mail server"},
		{Name: "CreateUser", Ref: "first list, editors 1", Who: "editor", Asks: "create an editor",
			Op: model.Outside, Served: "the accounts, local or of an OIDC provider"},
		{Name: "SignIn", Ref: "first list, editors 2", Who: "editor", Asks: "sign in",
			Op: model.Outside, Served: "the accounts, local or of an OIDC provider"},
		{Name: "AllPosts", Ref: "first list, editors 3", Who: "editor", Asks: "all posts",
			Op: model.Query, Index: "GSI2", Yields: []string{"Post"}, Desc: true, Order: "updatedAt", Limit: 20, Shows: dated},
		{Name: "EditPage", Ref: "first list, editors 4", Who: "editor", Asks: "a post to edit",
			Op: model.Query, Yields: wholePost, By: []string{"id"}, Limit: 100, Strong: true},
		{Name: "CreatePost", Ref: "first list, editors 5", Who: "editor", Asks: "a new post",
			Op: model.Put, Writes: writePost(1, 10, blocksMax), Staged: saved},
		{Name: "EditPost", Ref: "first list, editors 6", Who: "editor", Asks: "change a post",
			Op: model.Put, Writes: writePost(2, 20, 2*blocksMax), Staged: saved},
		{Name: "DeletePost", Ref: "first list, editors 7", Who: "editor", Asks: "delete a post",
			Op: model.Put, Writes: writePost(1, 10, blocksMax), Staged: saved},

		{Name: "LatestPublished", Ref: "second list, readers 1", Who: "reader", Asks: "the latest published posts, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Status"}, Given: model.Values{"status": "published"}, Desc: true, Order: "publishedAt", Limit: 20, Shows: dated},
		{Name: "PublishedByTag", Ref: "second list, readers 2", Who: "reader", Asks: "published posts with a tag, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Tag"}, By: []string{"tagName"}, Desc: true, Order: "publishedAt", Limit: 20, Shows: dated},
		{Name: "PostByID", Ref: "second list, readers 3", Who: "reader", Asks: "everything of one post: metadata and body",
			Op: model.Query, Yields: wholePost, By: []string{"id"}, Limit: 100},
		{Name: "Profile", Ref: "second list, readers 4", Who: "reader", Asks: "the profile",
			Op: model.Outside, Served: "the configuration, which holds the profile"},
		{Name: "SendMessage", Ref: "second list, readers 5", Who: "reader", Asks: "send a message",
			Op: model.Outside, Served: "SMTP, or the operators' inbox without a mail server"},
		{Name: "PostsByUpdate", Ref: "second list, editors 1", Who: "editor", Asks: "posts of all states, the last changed first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Post"}, Desc: true, Order: "updatedAt", Limit: 20, Shows: dated},
		{Name: "Drafts", Ref: "second list, editors 2", Who: "editor", Asks: "drafts alone",
			Op: model.Query, Index: "GSI1", Yields: []string{"Status"}, Given: model.Values{"status": "draft"}, Desc: true, Order: "id", Limit: 20, Shows: listed},
		{Name: "SavePost", Ref: "second list, editors 3", Who: "editor", Asks: "create, change or delete a post",
			Op: model.Put, Writes: writePost(2, 20, 2*blocksMax), Staged: saved},
		{Name: "Credentials", Ref: "second list, editors 4", Who: "editor", Asks: "the credentials of a user name",
			Op: model.Outside, Served: "the accounts, local or of an OIDC provider"},

		{Name: "TagIndex", Ref: "uses of GSI1, 1", Who: "editor", Asks: "posts of any state with a tag",
			Op: model.Query, Index: "GSI1", Yields: []string{"Tag"}, By: []string{"tagName"}, Limit: 20, Shows: listed},
		{Name: "StatusIndex", Ref: "uses of GSI1, 2", Who: "editor", Asks: "posts of one state",
			Op: model.Query, Index: "GSI1", Yields: []string{"Status"}, By: []string{"status"}, Limit: 20, Shows: listed},

		{Name: "PartsOfSave", Who: "editor", Asks: "the blocks of a save, to finish it",
			Op: model.Query, Yields: []string{"SavePart"}, By: []string{"saveId"}, Begins: "PART#", Order: "part", Limit: 100, Strong: true,
			Added: "a post with more items than a transaction takes is still saved whole"},
		{Name: "UnfinishedSaves", Who: "operator", Asks: "saves that a crash interrupted, the oldest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"SavePart"}, Order: "createdAt", Limit: 20, Shows: []string{"saveId", "createdAt"},
			Added: "a post with more items than a transaction takes is still saved whole"},
	},
}

var wholePost = []string{"Post", "Status", "Block", "Tag"}

const saved = "blocks wait as SavePart items; one transaction writes metadata, state and tags and names the save; blocks then follow, and whoever reads the post first finishes them"

// cardFields are what an item needs to stand for its post in a list.
func cardFields() []model.Field {
	return []model.Field{
		{Name: "id", Size: 26, Max: 128, Added: true},
		{Name: "title", Size: 60, Max: titleMax},
		{Name: "status", Values: states},
		{Name: "createdAt", Kind: model.Time},
		{Name: "summary", Size: 300, Max: summaryMax},
		{Name: "thumbnail", Optional: true, Size: 80, Max: urlMax},
		{Name: "publishedAt", Kind: model.Time, Optional: true, Added: true},
		{Name: "updatedAt", Kind: model.Time, Added: true},
	}
}

// writePost counts the items that a save touches: those that go included.
func writePost(status, tags, blocks int) []model.Write {
	return []model.Write{{Entity: "Post", Max: 1}, {Entity: "Status", Max: status}, {Entity: "Tag", Max: tags}, {Entity: "Block", Max: blocks}}
}

var media = model.Bucket{
	Name: "blog-media", Env: "BLOG_MEDIA_BUCKET", Purpose: "images in posts",
	Objects: []model.Object{
		{Name: "Image", Key: "images/{id}/{name}", Vars: []model.Field{{Name: "id", Max: 128}, {Name: "name", Max: 255}},
			Holds: "an image, re-encoded, at most 10 MB", Added: "the document names no keys"},
	},
	Lifecycle: []model.Rule{{ID: "unfinished-uploads", AbortAfter: 7, Added: "unfinished uploads cost and show nowhere"}},
}
