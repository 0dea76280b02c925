// Package model holds the design of a DynamoDB application as data: tables,
// indexes, entities with literal key templates, and the access patterns that the
// tables exist for. The same declarations are the design document, the deployed
// tables, the reads and writes of the program, and what the tests check.
//
// A [Schema] is plain structs. It promises nothing until [Schema.Validate] has
// said yes; every function below wants a schema that it would accept. Keys are
// exactly what their templates say: case is kept, nothing is added, and a value
// can never forge the key of another entity (see [Template]).
//
// [Repo] reads and writes one entity of a table; [View] reads what an access
// pattern yields, as iterator or as pages with cursors. Both work on any
// dynamo.API, and neither ever scans or filters. A view never shows a field that the
// index it reads does not hold.
//
// Start with table.go for the declarations and template.go for the keys, then
// repo.go and view.go. The children check a schema (lint), render it (doc), count what
// its patterns cost (cost), bring it to a store (deploy) and test it (modeltest).
package model
