package partiql

import "strings"

// keywords cannot be names unless they are quoted: the reserved words of SQL-92 and those
// that PartiQL adds. They are not the reserved words of DynamoDB's expressions.
var keywords = set(`
	absolute action add all allocate alter any are assertion authorization avg begin bit
	bit_length cascade cascaded case cast catalog char character character_length
	char_length check close coalesce collate collation column commit connect connection
	constraint constraints continue convert corresponding count create cross current
	current_date current_time current_timestamp current_user cursor date deallocate dec
	decimal declare default deferrable deferred delete describe descriptor diagnostics
	disconnect distinct domain double drop else end end-exec escape exception exec execute
	exists external extract date_add date_diff fetch first float foreign found from full
	get global go goto grant group having identity immediate indicator initially inner
	input insensitive insert int integer interval into isolation join key language last
	left level local lower match max min module names national natural nchar next no
	nullif numeric octet_length of on only open option order outer output overlaps pad
	partial position precision prepare preserve primary prior privileges procedure public
	read real references relative restrict revoke right rollback rows schema scroll section
	select session session_user set size smallint some space sql sqlcode sqlerror sqlstate
	substring sum system_user table temporary then time timestamp to transaction translate
	translation trim unique unknown update upper usage user using value values varchar
	varying view when whenever where with work write zone

	can_cast can_lossless_cast pivot unpivot limit offset tuple remove index conflict do
	nothing returning modified new old let
	integer2 int2 integer4 int4 integer8 int8 bigint bool boolean string symbol clob blob
	struct list sexp bag`)

// words that are operators.
var operatorWords = set("and or is in not between like union except intersect")

var keywordAliases = map[string]string{
	"varchar": "character_varying", "char": "character", "dec": "decimal",
	"int": "integer", "int2": "smallint", "integer2": "smallint", "int4": "integer4",
	"int8": "integer8", "bigint": "integer8", "bool": "boolean",
}

// functionWords are keywords that may be called like functions.
var functionWords = set(`exists count avg max min sum char_length character_length
	octet_length bit_length upper lower size sexp list bag`)

var aggregates = set("count avg max min sum")

// pairs of words that are one token, which lies where the first word does.
var pairs = map[[2]string]token{
	{"not", "in"}:            {kind: tokOperator, text: "not_in"},
	{"is", "not"}:            {kind: tokOperator, text: "is_not"},
	{"not", "between"}:       {kind: tokOperator, text: "not_between"},
	{"not", "like"}:          {kind: tokOperator, text: "not_like"},
	{"character", "varying"}: {kind: tokKeyword, text: "character_varying"},
	{"double", "precision"}:  {kind: tokKeyword, text: "double_precision"},
	{"insert", "into"}:       {kind: tokKeyword, text: "insert_into"},
	{"on", "conflict"}:       {kind: tokKeyword, text: "on_conflict"},
	{"do", "nothing"}:        {kind: tokKeyword, text: "do_nothing"},
	{"modified", "old"}:      {kind: tokKeyword, text: "modified_old"},
	{"modified", "new"}:      {kind: tokKeyword, text: "modified_new"},
	{"all", "old"}:           {kind: tokKeyword, text: "all_old"},
	{"all", "new"}:           {kind: tokKeyword, text: "all_new"},
	{"cross", "join"}:        {kind: tokKeyword, text: "cross_join"},
	{"inner", "join"}:        {kind: tokKeyword, text: "join"},
	{"inner", "cross_join"}:  {kind: tokKeyword, text: "cross_join"},
	{"left", "join"}:         {kind: tokKeyword, text: "join"},
	{"left", "outer_join"}:   {kind: tokKeyword, text: "join"},
	{"left", "cross_join"}:   {kind: tokKeyword, text: "cross_join"},
	{"right", "join"}:        {kind: tokKeyword, text: "join"},
	{"right", "outer_join"}:  {kind: tokKeyword, text: "join"},
	{"right", "cross_join"}:  {kind: tokKeyword, text: "cross_join"},
	{"full", "join"}:         {kind: tokKeyword, text: "join"},
	{"full", "outer_join"}:   {kind: tokKeyword, text: "join"},
	{"full", "cross_join"}:   {kind: tokKeyword, text: "cross_join"},
	{"outer", "join"}:        {kind: tokKeyword, text: "outer_join"},
	{"outer", "cross_join"}:  {kind: tokKeyword, text: "cross_join"},
	{"union", "all"}:         {kind: tokOperator, text: "union"},
	{"except", "all"}:        {kind: tokOperator, text: "except"},
	{"intersect", "all"}:     {kind: tokOperator, text: "intersect"},
}

// typeArity is how many parameters the name of a type takes at most.
var typeArity = map[string]int{
	"missing": 0, "null": 0, "boolean": 0, "smallint": 0, "integer4": 0, "integer8": 0,
	"integer": 0, "float": 1, "real": 0, "double_precision": 0, "decimal": 2, "numeric": 2,
	"timestamp": 0, "date": 0, "time": 1, "character": 1, "character_varying": 1,
	"string": 0, "symbol": 0, "clob": 0, "blob": 0, "struct": 0, "tuple": 0, "list": 0,
	"sexp": 0, "bag": 0, "any": 0,
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// classify is the token of an unquoted word.
func classify(text string) token {
	lower := strings.ToLower(text)
	switch lower {
	case "as":
		return token{kind: tokAs, text: lower}
	case "at":
		return token{kind: tokAt, text: lower}
	case "by":
		return token{kind: tokBy, text: lower}
	case "for":
		return token{kind: tokFor, text: lower}
	case "asc":
		return token{kind: tokAscending, text: lower}
	case "desc":
		return token{kind: tokDescending, text: lower}
	case "null":
		return token{kind: tokNull, text: lower}
	case "missing":
		return token{kind: tokMissing, text: lower}
	case "true", "false":
		return token{kind: tokBool, text: lower}
	}
	switch {
	case operatorWords[lower]:
		return token{kind: tokOperator, text: lower}
	case keywords[lower]:
		if alias, ok := keywordAliases[lower]; ok {
			lower = alias
		}
		return token{kind: tokKeyword, text: lower}
	}
	return token{kind: tokIdentifier, text: text}
}
