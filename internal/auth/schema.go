package auth

import "pressroom/model"

// Schema is what auth keeps in the table of the lexicon's users. The lexicon
// declares the same table for its own items; model.Merge makes them one.
var Schema = model.Schema{Name: "auth", Tables: []model.Table{users}}

const (
	idMax   = 128
	nameMax = 256
	mailMax = 1280
	hashMax = 64
	textMax = 2048
)

var themes = []string{"auto", "light", "dark"}

var (
	userID     = model.Field{Name: "user_id", Size: 26, Max: idMax}
	loginName  = model.Field{Name: "name", Size: 12, Max: nameMax}
	createdAt  = model.Field{Name: "created_at", Kind: model.Time}
	expiresAt  = model.Field{Name: "expires_at", Kind: model.Time}
	usedAt     = model.Field{Name: "used_at", Kind: model.Time}
	changes    = model.Field{Name: "version", Kind: model.Number}
	timeToLive = model.Field{Name: "ttl", Kind: model.Epoch}
)

func optional(f model.Field) model.Field { f.Optional = true; return f }

const (
	aboutAccounts = "people sign in, beside the items that the lexicon keeps of them"
	aboutGuessing = "guessing slows down, whichever process is asked"
	aboutSetup    = "the first operator is made by whoever can read the terminal"
	aboutLetters  = "people make accounts and change their passwords by letters to an address that is theirs"
	aboutPasskeys = "people sign in with a key in their device"
	aboutOIDC     = "people sign in through a provider"
)

var users = model.Table{
	Name: "UsersTable", Env: "USERS_TABLE", Purpose: "accounts, sessions and tokens",
	PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"}, TTL: "ttl", RecoveryDays: 35, Encrypted: true,
	Indexes: []model.Index{
		{Name: "AccountsIndex", PK: model.Key{Name: "account_list"}, SK: model.Key{Name: "account_name"}, Projection: model.KeysOnly, Purpose: "all accounts by name", Added: aboutAccounts},
	},
	Entities: []model.Entity{
		{Name: "Account", Doc: "someone who can sign in", PK: "ACCOUNT#{user_id}", SK: "ACCOUNT", Version: "version", Peak: 20, Added: aboutAccounts,
			Keys: []model.IndexKey{{Index: "AccountsIndex", PK: "ACCOUNTS", SK: "{name}"}},
			Fields: []model.Field{
				userID,
				{Name: "name", Size: 12, Max: nameMax, Unique: true},
				{Name: "email", Optional: true, Size: 24, Max: mailMax},
				{Name: "language", Optional: true, Size: 2, Max: 35},
				{Name: "theme", Optional: true, Values: themes},
				{Name: "role", Values: []string{"reader", "author", "moderator", "operator"}},
				{Name: "password", Optional: true, Size: 98, Max: 512},
				{Name: "issuer", Optional: true, Size: 40, Max: 512},
				{Name: "subject", Optional: true, Size: 36, Max: 512},
				{Name: "confirmed", Kind: model.Bool, Optional: true},
				{Name: "waiting", Kind: model.Bool, Optional: true},
				{Name: "disabled", Kind: model.Bool},
				createdAt,
				{Name: "signed_in_at", Kind: model.Time, Optional: true},
				{Name: "role_changed_at", Kind: model.Time, Optional: true},
				{Name: "sessions_from", Kind: model.Time, Optional: true},
				{Name: "tokens_from", Kind: model.Time, Optional: true},
				changes,
			}},
		{Name: "Login", Doc: "keeps a name to one account", PK: "LOGIN#{name}", SK: "LOGIN", Guards: "name", Peak: 20, Added: aboutAccounts,
			Fields: []model.Field{loginName, userID}},
		{Name: "Identity", Doc: "an account's identity at a provider", PK: "IDENTITY#{issuer}#{subject}", SK: "IDENTITY", Peak: 20, Added: aboutOIDC,
			Fields: []model.Field{{Name: "issuer", Size: 40, Max: 512}, {Name: "subject", Size: 36, Max: 512}, userID}},
		{Name: "Address", Doc: "keeps a confirmed address to one account", PK: "ADDRESS#{address}", SK: "ADDRESS", Peak: 20, Added: aboutLetters,
			Fields: []model.Field{{Name: "address", Size: 24, Max: mailMax}, userID}},
		{Name: "Link", Doc: "what a link in a letter or an invitation does, once", PK: "LINK#{token_hash}", SK: "LINK", Expires: "after an hour to a week", Peak: 50, Added: aboutLetters,
			Fields: []model.Field{
				{Name: "token_hash", Size: 43, Max: hashMax},
				{Name: "purpose", Values: purposes},
				{Name: "address", Optional: true, Size: 24, Max: mailMax},
				{Name: "other", Optional: true, Size: 0, Max: mailMax},
				optional(userID),
				{Name: "role", Optional: true, Size: 0, Max: 16},
				{Name: "language", Optional: true, Size: 2, Max: 35},
				createdAt, expiresAt, timeToLive,
			}},
		{Name: "Passkey", Doc: "a key in a device with which an account signs in", PK: "ACCOUNT#{user_id}", SK: "PASSKEY#{credential}", Peak: 20, Added: aboutPasskeys,
			Fields: []model.Field{
				userID,
				{Name: "credential", Size: 43, Max: hashMax},
				{Name: "label", Optional: true, Size: 12, Max: nameMax},
				{Name: "data", Kind: model.Binary, Size: 1000, Max: 16 << 10},
				createdAt, optional(usedAt),
			}},
		{Name: "Ceremony", Doc: "what a browser was asked about a passkey", PK: "CEREMONY#{state_hash}", SK: "CEREMONY", Expires: "five minutes", Peak: 50, Added: aboutPasskeys,
			Fields: []model.Field{
				{Name: "state_hash", Size: 43, Max: hashMax},
				{Name: "data", Kind: model.Binary, Size: 500, Max: 16 << 10},
				expiresAt, timeToLive,
			}},
		{Name: "Session", Doc: "a browser in which an account is signed in", PK: "ACCOUNT#{user_id}", SK: "SESSION#{session_hash}", Expires: "when it was not used for long", Peak: 100, Added: aboutAccounts,
			Fields: []model.Field{
				userID,
				{Name: "session_hash", Size: 43, Max: hashMax},
				createdAt,
				{Name: "rotated_at", Kind: model.Time},
				usedAt, expiresAt,
				{Name: "replaced", Kind: model.Bool},
				{Name: "agent", Optional: true, Size: 100, Max: 512},
				{Name: "addr", Optional: true, Size: 12, Max: 64},
				timeToLive,
			}},
		{Name: "Token", Doc: "a secret with which a program comes as an account", PK: "ACCOUNT#{user_id}", SK: "TOKEN#{token_hash}", Expires: "if ttl is set", Peak: 20, Added: "programs come with tokens",
			Fields: []model.Field{
				userID,
				{Name: "token_hash", Size: 43, Max: hashMax},
				{Name: "label", Size: 12, Max: nameMax},
				{Name: "scopes", Kind: model.List, Size: 20, Max: textMax},
				createdAt, optional(usedAt), optional(expiresAt), optional(timeToLive),
			}},
		{Name: "Attempts", Doc: "failed sign-ins to one name, from one address or on one known device", PK: "ATTEMPTS#{target}", SK: "ATTEMPTS", Expires: "a day after the last", Version: "version", Peak: 100, Added: aboutGuessing,
			Fields: []model.Field{
				{Name: "target", Size: 48, Max: hashMax},
				{Name: "failures", Kind: model.Number},
				{Name: "last_at", Kind: model.Time},
				{Name: "blocked_until", Kind: model.Time, Optional: true},
				timeToLive, changes,
			}},
		{Name: "Roster", Doc: "how many operators can sign in", PK: "ROSTER", SK: "OPERATORS", Peak: 1, Added: "the last operator stays one",
			Fields: []model.Field{{Name: "operators", Kind: model.Number}}},
		{Name: "Setup", Doc: "a link to make the first operator", PK: "SETUP#{token_hash}", SK: "SETUP", Expires: "a day", Peak: 1, Added: aboutSetup,
			Fields: []model.Field{{Name: "token_hash", Size: 43, Max: hashMax}, expiresAt, timeToLive}},
		{Name: "Flow", Doc: "a sign-in under way at a provider", PK: "FLOW#{state_hash}", SK: "FLOW", Expires: "ten minutes", Peak: 50, Added: aboutOIDC,
			Fields: []model.Field{
				{Name: "state_hash", Size: 43, Max: hashMax},
				{Name: "browser_hash", Size: 43, Max: hashMax},
				{Name: "return_to", Optional: true, Size: 20, Max: textMax},
				expiresAt, timeToLive,
			}},
	},
	Patterns: []model.Pattern{
		{Name: "GetAccount", Who: "user", Asks: "an account", Op: model.Get, Yields: []string{"Account"}, By: []string{"user_id"}, Strong: true, Added: aboutAccounts},
		{Name: "GetLogin", Who: "user", Asks: "whose a name is", Op: model.Get, Yields: []string{"Login"}, By: []string{"name"}, Strong: true, Added: aboutAccounts},
		{Name: "AccountsByName", Who: "operator", Asks: "all accounts by name",
			Op: model.Query, Index: "AccountsIndex", Yields: []string{"Account"}, Order: "name", Limit: 20, Fetch: true, Added: aboutAccounts},
		{Name: "GetIdentity", Who: "user", Asks: "whose an identity is", Op: model.Get, Yields: []string{"Identity"}, By: []string{"issuer", "subject"}, Strong: true, Added: aboutOIDC},
		{Name: "GetAddress", Who: "user", Asks: "whose an address is", Op: model.Get, Yields: []string{"Address"}, By: []string{"address"}, Strong: true, Added: aboutLetters},
		{Name: "GetLink", Who: "user", Asks: "what a link in a letter does", Op: model.Get, Yields: []string{"Link"}, By: []string{"token_hash"}, Strong: true, Added: aboutLetters},
		{Name: "GetPasskey", Who: "user", Asks: "a passkey", Op: model.Get, Yields: []string{"Passkey"}, By: []string{"user_id", "credential"}, Strong: true, Added: aboutPasskeys},
		{Name: "PasskeysOfAccount", Who: "user", Asks: "an account's passkeys",
			Op: model.Query, Yields: []string{"Passkey"}, By: []string{"user_id"}, Begins: "PASSKEY#", Limit: 20, Strong: true, Added: aboutPasskeys},
		{Name: "GetCeremony", Who: "user", Asks: "what a browser was asked", Op: model.Get, Yields: []string{"Ceremony"}, By: []string{"state_hash"}, Strong: true, Added: aboutPasskeys},
		{Name: "GetSession", Who: "user", Asks: "a session", Op: model.Get, Yields: []string{"Session"}, By: []string{"user_id", "session_hash"}, Strong: true, Added: aboutAccounts},
		{Name: "SessionsOfAccount", Who: "user", Asks: "an account's sessions",
			Op: model.Query, Yields: []string{"Session"}, By: []string{"user_id"}, Begins: "SESSION#", Limit: 20, Strong: true, Added: aboutAccounts},
		{Name: "GetToken", Who: "program", Asks: "a token", Op: model.Get, Yields: []string{"Token"}, By: []string{"user_id", "token_hash"}, Strong: true, Added: "programs come with tokens"},
		{Name: "TokensOfAccount", Who: "user", Asks: "an account's tokens",
			Op: model.Query, Yields: []string{"Token"}, By: []string{"user_id"}, Begins: "TOKEN#", Limit: 20, Strong: true, Added: "programs come with tokens"},
		{Name: "GetAttempts", Who: "user", Asks: "failed sign-ins of late", Op: model.Get, Yields: []string{"Attempts"}, By: []string{"target"}, Strong: true, Added: aboutGuessing},
		{Name: "GetRoster", Who: "operator", Asks: "how many operators there are", Op: model.Get, Yields: []string{"Roster"}, Strong: true, Added: "the last operator stays one"},
		{Name: "GetSetup", Who: "operator", Asks: "a set-up link", Op: model.Get, Yields: []string{"Setup"}, By: []string{"token_hash"}, Strong: true, Added: aboutSetup},
		{Name: "GetFlow", Who: "user", Asks: "a sign-in under way", Op: model.Get, Yields: []string{"Flow"}, By: []string{"state_hash"}, Strong: true, Added: aboutOIDC},
		{Name: "AddAccount", Who: "operator", Asks: "make an account",
			Op: model.Put, Writes: []model.Write{{Entity: "Account", Max: 1}, {Entity: "Login", Max: 1}, {Entity: "Identity", Max: 1}, {Entity: "Roster", Max: 1}, {Entity: "Setup", Max: 1}, {Entity: "Address", Max: 1}, {Entity: "Link", Max: 1}}, Added: aboutAccounts},
		{Name: "MoveAccount", Who: "user", Asks: "give an account another address",
			Op: model.Put, Writes: []model.Write{{Entity: "Account", Max: 1}, {Entity: "Address", Max: 2}, {Entity: "Link", Max: 1}}, Added: aboutLetters},
		{Name: "SignIn", Who: "user", Asks: "begin a session",
			Op: model.Put, Writes: []model.Write{{Entity: "Session", Max: 1}, {Entity: "Account", Max: 1}}, Added: aboutAccounts},
	},
}
