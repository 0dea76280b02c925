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
	blocksMax  = 5000
	mediaIDMax = 26
	partsMax   = 200 // of a revision's body
	maxSlug    = 100 // characters
	seriesMax  = 4 * 100
	maxComment = 2000
	maxAbout   = 200
)

var (
	states  = []string{"draft", "published", "archived"}
	layouts = []string{"full", "half_left", "half_right"}
	kinds   = []string{"text", "image", "code", "quote", "video"}
	counted = []string{"tag", "month"}
	groups  = []string{inSeries, inTranslations}

	published = &model.Condition{Field: "status", In: []string{"published"}}

	// listed is what a list of posts shows; GSI1 projects it.
	listed = []string{"title", "status", "createdAt", "summary", "thumbnail"}
	// dated is what a list of posts by date shows; GSI2 projects it.
	dated = []string{"title", "status", "createdAt", "summary", "thumbnail", "publishedAt", "updatedAt"}
)

var table = model.Table{
	Name: "blog", Env: "BLOG_TABLE", Purpose: "posts, their blocks, tags and states",
	PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"},
	RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES", TTL: "ttl",
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
				{Name: "digest", Optional: true, Size: 64, Max: 64, Added: true},
				{Name: "fence", Kind: model.Number, Optional: true, Added: true},
				{Name: "revision", Optional: true, Size: 26, Max: 26, Added: true},
				{Name: "slug", Optional: true, Size: 30, Max: 4 * maxSlug, Added: true},
				{Name: "coAuthors", Optional: true, Size: 20, Max: 4 * 400, Added: true},
				{Name: "series", Optional: true, Size: 20, Max: seriesMax, Added: true},
				{Name: "translates", Optional: true, Size: 26, Max: 128, Added: true},
				{Name: "thumbnailAlt", Optional: true, Size: 60, Max: 2000, Added: true},
				{Name: "thumbnailFocus", Optional: true, Size: 5, Max: 7, Added: true},
			}},
		{Name: "Status", Doc: "a post's state, for lists by state", PK: "POST#{id}", SK: "STATUS#{status}", Peak: 10,
			Keys: []model.IndexKey{
				{Index: "GSI1", PK: "STATUS#{status}", SK: "POST#{id}"},
				{Index: "GSI2", PK: "STATUS#{status}", SK: "{publishedAt}#{id}", When: published},
			},
			Fields: cardFields()},
		{Name: "Block", Doc: "a part of a post's body", PK: "POST#{id}", SK: "BLOCK#{order:05}", Head: "Post", Peak: 200,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128, Added: true},
				{Name: "order", Kind: model.Number},
				{Name: "type", Values: kinds},
				{Name: "content", Size: 900, Max: blockMax},
				{Name: "layout", Values: layouts},
				{Name: "alt", Optional: true, Size: 60, Max: 2000, Added: true},
				{Name: "caption", Optional: true, Size: 60, Max: 2000, Added: true},
				{Name: "language", Optional: true, Size: 4, Max: 64, Added: true},
				{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
				{Name: "next", Kind: model.Map, Optional: true, Size: 1000, Max: blockMax + 8<<10, Added: true},
			}},
		{Name: "Tag", Doc: "a tag on a post", PK: "POST#{id}", SK: "TAG#{tagName}", Peak: 50,
			Keys: []model.IndexKey{
				{Index: "GSI1", PK: "TAG#{tagName}", SK: "POST#{id}"},
				{Index: "GSI2", PK: "TAG#{tagName}", SK: "{publishedAt}#{id}", When: published},
			},
			Fields: append([]model.Field{{Name: "tagName", Size: 8, Max: tagMax}}, cardFields()...)},
		{Name: "SavePart", Doc: "blocks of a save that is not finished", PK: "SAVE#{saveId}", SK: "PART#{part:05}", Peak: 10,
			Keys:   []model.IndexKey{{Index: "GSI2", PK: "SAVES", SK: "{createdAt}#{saveId}", When: &model.Condition{Field: "part", In: []string{"0"}}}},
			Fields: model.SavePartFields(128),
			Added:  "a post with more items than a transaction takes is still saved whole"},
		{Name: "Revision", Doc: "a post as somebody saved it, without its body", PK: "REVISIONS#{id}", SK: "REVISION#{revision}", Head: "Post", Peak: 10,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "revision", Size: 26, Max: 26},
				{Name: "of", Kind: model.Number},
				{Name: "at", Kind: model.Time},
				{Name: "by", Optional: true, Size: 12, Max: 4 * 200},
				{Name: "what", Size: 6, Max: 32},
				{Name: "from", Optional: true, Size: 26, Max: 26},
				{Name: "body", Size: 26, Max: 26},
				{Name: "blocks", Kind: model.Number},
				{Name: "digest", Size: 64, Max: 64},
				{Name: "status", Values: states},
				{Name: "title", Size: 60, Max: titleMax},
				{Name: "summary", Size: 300, Max: summaryMax},
				{Name: "author", Optional: true, Size: 26, Max: 200},
				{Name: "thumbnail", Optional: true, Size: 80, Max: urlMax},
				{Name: "slug", Optional: true, Size: 30, Max: 4 * maxSlug},
				{Name: "coAuthors", Optional: true, Size: 20, Max: 4 * 400},
				{Name: "series", Optional: true, Size: 20, Max: seriesMax},
				{Name: "translates", Optional: true, Size: 26, Max: 128},
				{Name: "thumbnailAlt", Optional: true, Size: 60, Max: 2000},
				{Name: "thumbnailFocus", Optional: true, Size: 5, Max: 7},
				{Name: "publishedAt", Kind: model.Time, Optional: true},
				{Name: "tags", Kind: model.List, Size: 60, Max: 10 * (tagMax + 4)},
				{Name: "saveId", Optional: true, Size: 26, Max: 64},
				{Name: "next", Kind: model.Map, Optional: true, Size: 3, Max: 16}, // it never becomes another one, it goes
			},
			Added: "every save can be looked at and brought back; in a partition of its own, so that who reads the post reads nothing else"},
		{Name: "RevisionPart", Doc: "blocks of a revision", PK: "REVISIONS#{id}", SK: "PART#{revision}#{part:05}", Head: "Post", Peak: 10,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "revision", Size: 26, Max: 26},
				{Name: "part", Kind: model.Number},
				{Name: "body", Kind: model.List, Size: 9000, Max: 380 << 10},
				{Name: "saveId", Optional: true, Size: 26, Max: 64},
				{Name: "next", Kind: model.Map, Optional: true, Size: 3, Max: 16},
			},
			Added: "a body has as many items as it needs, and revisions that have the same share it"},
		{Name: "Comment", Doc: "what an editor says of a post or one of its blocks", PK: "REVISIONS#{id}", SK: "COMMENT#{comment}", Head: "Post", Peak: 10,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "comment", Size: 26, Max: 26},
				{Name: "at", Kind: model.Time},
				{Name: "by", Optional: true, Size: 12, Max: 4 * 200},
				{Name: "text", Size: 100, Max: 4 * maxComment},
				{Name: "block", Optional: true, Size: 16, Max: 16},
				{Name: "about", Optional: true, Size: 80, Max: 4 * maxAbout},
				{Name: "done", Optional: true, Size: 12, Max: 4 * 200},
				{Name: "saveId", Optional: true, Size: 26, Max: 64},
				{Name: "next", Kind: model.Map, Optional: true, Size: 3, Max: 16},
			},
			Added: "authors and editors talk about a post before it is published"},
		{Name: "Plan", Doc: "when a post is published and taken back", PK: "PLAN#{id}", SK: "POST", Version: "version", Peak: 10,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "PLANS", SK: "{due}#{id}", When: &model.Condition{Field: "state", In: []string{"waiting"}}}},
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "state", Values: []string{"waiting", "failed"}},
				{Name: "due", Kind: model.Time},
				{Name: "publishAt", Kind: model.Time, Optional: true},
				{Name: "withdrawAt", Kind: model.Time, Optional: true},
				{Name: "by", Optional: true, Size: 12, Max: 4 * 200},
				{Name: "problem", Optional: true, Size: 60, Max: 2000},
				{Name: "version", Kind: model.Number},
			},
			Added: "posts are published and taken back while nobody is at the desk"},
		{Name: "Duty", Doc: "which process carries out the plans", PK: "DUTY#{duty}", SK: "LEASE", Peak: 10,
			Fields: []model.Field{
				{Name: "duty", Size: 8, Max: 64},
				{Name: "owner", Optional: true, Size: 26, Max: 64},
				{Name: "until", Kind: model.Time, Optional: true},
			},
			Added: "several processes do not publish the same posts at the same time"},
		{Name: "Address", Doc: "whose a readable address is, or was", PK: "ADDRESS#{slug}", SK: "POST", Peak: 10,
			Fields: []model.Field{
				{Name: "slug", Size: 30, Max: 4 * maxSlug},
				{Name: "id", Size: 26, Max: 128},
				{Name: "at", Kind: model.Time},
			},
			Added: "links to a post go on working when its address changes, and never lead to another post"},
		{Name: "Presence", Doc: "that somebody has a post open", PK: "PRESENCE#{id}", SK: "PERSON#{person}#{tab}", Peak: 50,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "person", Size: 26, Max: 300},
				{Name: "tab", Size: 36, Max: 36},
				{Name: "name", Size: 12, Max: 4 * 200},
				{Name: "at", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch},
			},
			Expires: "some minutes after the editor was last heard of",
			Added:   "two people in one post see each other"},
		{Name: "Proposal", Doc: "that an author asks for a post to be published", PK: "PROPOSAL#{id}", SK: "POST", Peak: 10,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "PROPOSALS", SK: "{at}#{id}"}},
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "at", Kind: model.Time},
				{Name: "by", Optional: true, Size: 12, Max: 4 * 200},
				{Name: "note", Optional: true, Size: 60, Max: 4 * maxComment},
			},
			Added: "an editor looks at what an author wrote before readers do"},
		{Name: "Count", Doc: "how many published posts have a tag, or are of a month", PK: "COUNT#{kind}", SK: "NAME#{name}", Version: "version", Peak: 50,
			Fields: []model.Field{
				{Name: "kind", Values: counted},
				{Name: "name", Size: 8, Max: tagMax},
				{Name: "count", Kind: model.Number},
				{Name: "version", Kind: model.Number},
			},
			Added: "readers choose from tags and months, and a list must not be walked to count it"},
		{Name: "Counted", Doc: "in which counts a post is", PK: "COUNTED#{id}", SK: "POST", Version: "version", Peak: 10,
			Fields: []model.Field{
				{Name: "id", Size: 26, Max: 128},
				{Name: "tags", Kind: model.List, Size: 60, Max: 64 << 10},
				{Name: "month", Optional: true, Size: 7, Max: 7},
				{Name: "groups", Kind: model.List, Optional: true, Size: 60, Max: 4096},
				{Name: "version", Kind: model.Number},
			},
			Added: "other programs publish and delete posts without a word about counts"},
		{Name: "Group", Doc: "that a published post belongs to a group", PK: "GROUP#{kind}#{name}", SK: "POST#{publishedAt}#{id}", Peak: 10,
			Fields: []model.Field{
				{Name: "kind", Values: groups},
				{Name: "name", Size: 20, Max: seriesMax},
				{Name: "publishedAt", Kind: model.Time},
				{Name: "id", Size: 26, Max: 128},
			},
			Added: "the parts of a series and the translations of a post, in a partition in which published posts alone stand, whose reads are as of now"},
		{Name: "Media", Doc: "an image in the library", PK: "MEDIA#{mediaId}", SK: "METADATA", Peak: 10,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "MEDIA", SK: "{createdAt}#{mediaId}"}},
			Fields: []model.Field{
				{Name: "mediaId", Size: 26, Max: mediaIDMax},
				{Name: "createdAt", Kind: model.Time},
				{Name: "state", Values: []string{"pending", "ready", "deleting"}},
				{Name: "name", Size: 20, Max: 255},
				{Name: "alt", Optional: true, Size: 60, Max: 2000},
				{Name: "uploader", Optional: true, Size: 26, Max: 200},
				{Name: "contentType", Optional: true, Size: 10, Max: 64},
				{Name: "bytes", Kind: model.Number},
				{Name: "width", Kind: model.Number},
				{Name: "height", Kind: model.Number},
				{Name: "sizes", Kind: model.List, Size: 400, Max: 4096},
				{Name: "ttl", Kind: model.Epoch, Optional: true},
			},
			Expires: "a day after an upload was begun and never finished",
			Added:   "a library of images, and their sizes for pages"},
		{Name: "Use", Doc: "that a post shows an image", PK: "MEDIA#{mediaId}", SK: "POST#{id}", Peak: 50,
			Fields: []model.Field{
				{Name: "mediaId", Size: 26, Max: mediaIDMax},
				{Name: "id", Size: 26, Max: 128},
			},
			Added: "an image that a post shows is not deleted"},
		{Name: "Message", Doc: "a reader's message that no mail server took", PK: "MESSAGE#{messageId}", SK: "METADATA", Peak: 1,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "MESSAGES", SK: "{createdAt}#{messageId}"}},
			Fields: []model.Field{
				{Name: "messageId", Size: 26, Max: 26},
				{Name: "createdAt", Kind: model.Time},
				{Name: "name", Size: 12, Max: 4 * 100},
				{Name: "email", Size: 20, Max: 254},
				{Name: "subject", Size: 40, Max: 4 * 150},
				{Name: "body", Size: 600, Max: 4 * 5000},
				{Name: "reason", Optional: true, Size: 20, Max: 500},
			},
			Added: "without a mail server, and when it does not answer, no message is lost"},
		{Name: "Rate", Doc: "how often someone wrote in a window of time", PK: "RATE#{who}", SK: "WINDOW#{window}", Peak: 50,
			Fields: []model.Field{
				{Name: "who", Size: 43, Max: 64},
				{Name: "window", Kind: model.Time},
				{Name: "count", Kind: model.Number},
				{Name: "ttl", Kind: model.Epoch},
			},
			Expires: "an hour after the window",
			Added:   "messages are limited, for all processes together"},
		{Name: "Imported", Doc: "which post a thing of another system became", PK: "IMPORTED#{importKey}", SK: "POST", Peak: 200,
			Fields: []model.Field{
				{Name: "importKey", Size: 64, Max: 64},
				{Name: "id", Size: 26, Max: 128},
				{Name: "digest", Optional: true, Size: 64, Max: 64},
				{Name: "version", Kind: model.Number},
			},
			Added: "the same file twice doubles nothing"},
		{Name: "Redirect", Doc: "a path at which a post was read elsewhere", PK: "PATH#{path}", SK: "REDIRECT", Peak: 200,
			Fields: []model.Field{
				{Name: "path", Size: 40, Max: redirectMax},
				{Name: "id", Size: 26, Max: 128},
			},
			Added: "links to the old address of an imported post still work"},
		{Name: "Import", Doc: "a file with posts that somebody uploaded", PK: "IMPORT#{importId}", SK: "METADATA", Version: "version", Peak: 1,
			Keys: []model.IndexKey{{Index: "GSI2", PK: "IMPORTS", SK: "{createdAt}#{importId}"}},
			Fields: []model.Field{
				{Name: "importId", Size: 26, Max: 26},
				{Name: "createdAt", Kind: model.Time},
				{Name: "name", Size: 20, Max: 255},
				{Name: "format", Values: []string{"ghost", "wordpress", "markdown"}},
				{Name: "base", Optional: true, Size: 30, Max: urlMax},
				{Name: "overwrite", Kind: model.Bool, Optional: true},
				{Name: "state", Values: []string{ImportWaiting, ImportPreviewed, ImportWanted, ImportDone, ImportFailed}},
				{Name: "by", Optional: true, Size: 26, Max: 200},
				{Name: "seen", Kind: model.Number, Optional: true},
				{Name: "problem", Optional: true, Size: 80, Max: 2000},
				{Name: "version", Kind: model.Number},
			},
			Added: "posts of other systems are brought along"},
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
			Op: model.Query, Index: "GSI1", Yields: []string{"Tag"}, By: []string{"tagName"}, Desc: true, Order: "id", Limit: 20, Shows: listed},
		{Name: "StatusIndex", Ref: "uses of GSI1, 2", Who: "editor", Asks: "posts of one state",
			Op: model.Query, Index: "GSI1", Yields: []string{"Status"}, By: []string{"status"}, Desc: true, Order: "id", Limit: 20, Shows: listed},

		{Name: "PartsOfSave", Who: "editor", Asks: "the blocks of a save, to finish it",
			Op: model.Query, Yields: []string{"SavePart"}, By: []string{"saveId"}, Begins: "PART#", Order: "part", Limit: 10, Strong: true,
			Added: "a post with more items than a transaction takes is still saved whole"},
		{Name: "UnfinishedSaves", Who: "operator", Asks: "saves that a crash interrupted, the oldest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"SavePart"}, Order: "createdAt", Limit: 10, Fetch: true,
			Added: "a post with more items than a transaction takes is still saved whole"},
		{Name: "Revisions", Who: "editor", Asks: "what a post was, the last saved first",
			Op: model.Query, Yields: []string{"Revision"}, By: []string{"id"}, Begins: "REVISION#", Desc: true, Order: "revision", Range: "revision", Limit: 20, Strong: true,
			Added: "every save can be looked at and brought back"},
		{Name: "RevisionBody", Who: "editor", Asks: "the blocks of a revision",
			Op: model.Query, Yields: []string{"RevisionPart"}, By: []string{"id", "revision"}, Begins: "PART#{revision}#", Order: "part", Limit: 10, Strong: true,
			Added: "every save can be looked at and brought back"},
		{Name: "History", Who: "editor", Asks: "all that is kept of a post that is deleted",
			Op: model.Query, Yields: []string{"Revision", "RevisionPart", "Comment"}, By: []string{"id"}, Limit: 100, Strong: true,
			Added: "the history of a post goes with it"},
		{Name: "Comments", Who: "editor", Asks: "what editors say of a post, the first first",
			Op: model.Query, Yields: []string{"Comment"}, By: []string{"id"}, Begins: "COMMENT#", Order: "comment", Limit: 20, Strong: true,
			Added: "authors and editors talk about a post"},
		{Name: "DuePlans", Who: "process", Asks: "plans whose time has come, the first due first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Plan"}, Order: "due", Range: "due", Limit: 20, Fetch: true,
			Added: "posts are published while nobody is at the desk"},
		{Name: "PostByAddress", Who: "reader", Asks: "the post behind a readable address",
			Op: model.Get, Yields: []string{"Address"}, By: []string{"slug"},
			Added: "readable addresses"},
		{Name: "Present", Who: "editor", Asks: "who else has a post open",
			Op: model.Query, Yields: []string{"Presence"}, By: []string{"id"}, Begins: "PERSON#", Order: "person", Limit: 10, Strong: true,
			Added: "two people in one post see each other"},
		{Name: "Proposals", Who: "editor", Asks: "posts that authors want published, the oldest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Proposal"}, Order: "at", Limit: 20, Fetch: true,
			Added: "an editor looks at what an author wrote before readers do"},
		{Name: "PublishedBetween", Who: "reader", Asks: "posts of a month, the newest first; the post before another",
			Op: model.Query, Index: "GSI2", Yields: []string{"Status"}, Given: model.Values{"status": "published"}, Desc: true, Order: "publishedAt", Range: "publishedAt", Limit: 20, Shows: dated,
			Added: "an archive by month, and a way on from a post"},
		{Name: "PublishedAfter", Who: "reader", Asks: "the post after another",
			Op: model.Query, Index: "GSI2", Yields: []string{"Status"}, Given: model.Values{"status": "published"}, Order: "publishedAt", Range: "publishedAt", Limit: 2, Shows: dated,
			Added: "a way on from a post"},
		{Name: "Group", Who: "reader", Asks: "the parts of a series, the first first; the part after another; the translations of a post",
			Op: model.Query, Yields: []string{"Group"}, By: []string{"kind", "name"}, Begins: "POST#", Order: "publishedAt", Range: "publishedAt", Limit: 20, Strong: true,
			Added: "series"},
		{Name: "GroupLatest", Who: "reader", Asks: "the parts of a series, the last first; the part before another",
			Op: model.Query, Yields: []string{"Group"}, By: []string{"kind", "name"}, Begins: "POST#", Desc: true, Order: "publishedAt", Range: "publishedAt", Limit: 20, Strong: true,
			Added: "series, and their feeds"},
		{Name: "Tags", Who: "reader", Asks: "tags of published posts, with how many",
			Op: model.Query, Yields: []string{"Count"}, Given: model.Values{"kind": "tag"}, Begins: "NAME#", Order: "name", Limit: 20,
			Added: "readers choose from tags"},
		{Name: "Months", Who: "reader", Asks: "months with published posts, with how many, the newest first",
			Op: model.Query, Yields: []string{"Count"}, Given: model.Values{"kind": "month"}, Begins: "NAME#", Desc: true, Order: "name", Limit: 12,
			Added: "an archive by month"},
		{Name: "Library", Who: "editor", Asks: "images, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Media"}, Desc: true, Order: "createdAt", Limit: 10, Fetch: true,
			Added: "a library of images"},
		{Name: "UsesOfMedia", Who: "editor", Asks: "the posts that show an image",
			Op: model.Query, Yields: []string{"Use"}, By: []string{"mediaId"}, Begins: "POST#", Order: "id", Limit: 10, Strong: true,
			Added: "an image that a post shows is not deleted"},
		{Name: "Inbox", Who: "operator", Asks: "readers' messages, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Message"}, Desc: true, Order: "createdAt", Limit: 10, Fetch: true,
			Added: "without a mail server, messages are read here"},
		{Name: "Imports", Who: "operator", Asks: "uploaded imports, the newest first",
			Op: model.Query, Index: "GSI2", Yields: []string{"Import"}, Desc: true, Order: "createdAt", Limit: 10, Fetch: true,
			Added: "posts of other systems are brought along"},
	},
}

var wholePost = []string{"Post", "Status", "Block", "Tag"}

const saved = "blocks wait as SavePart items; one transaction writes metadata, state and tags and names the save; blocks then follow, and whoever reads the post before that takes them from there"

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
	return []model.Write{{Entity: "Post", Max: 1}, {Entity: "Status", Max: status}, {Entity: "Tag", Max: tags}, {Entity: "Block", Max: blocks}, {Entity: "Revision", Max: 2}, {Entity: "RevisionPart", Max: 2 * partsMax}}
}

var media = model.Bucket{
	Name: "blog-media", Env: "BLOG_MEDIA_BUCKET", Purpose: "images in posts",
	Objects: []model.Object{
		{Name: "Image", Key: "images/{id}/{name}", Vars: []model.Field{{Name: "id", Max: 128}, {Name: "name", Max: 255}},
			Holds: "an image, re-encoded, at most 10 MB", Added: "the document names no keys"},
		{Name: "Upload", Key: "uploads/{id}", Vars: []model.Field{{Name: "id", Max: 26}},
			Holds: "an image as a browser sent it, until it is re-encoded", Added: "browsers send images to the store itself"},
		{Name: "Autosave", Key: "autosaves/{id}/{editor}", Vars: []model.Field{{Name: "id", Max: 128}, {Name: "editor", Max: 300}},
			Holds: "what an editor has typed and not saved, as JSON", Added: "typed text survives a browser that does not"},
		{Name: "Import", Key: "imports/{id}/{name}", Vars: []model.Field{{Name: "id", Max: 26}, {Name: "name", Max: 10}},
			Holds: "a file with posts of another system, and what came of it", Added: "posts of other systems are brought along"},
	},
	Lifecycle: []model.Rule{
		{ID: "unfinished-uploads", AbortAfter: 7, Added: "unfinished uploads cost and show nowhere"},
		{ID: "raw-uploads", Prefix: "uploads/", ExpiresAfter: 1, Added: "what nobody finished is nobody's"},
		{ID: "autosaves", Prefix: "autosaves/", ExpiresAfter: 30, Added: "text that nobody came back to"},
		{ID: "imports", Prefix: "imports/", ExpiresAfter: 30, Added: "a file whose posts are here is not needed any more"},
	},
}
