package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/desk/lexicon"
)

// loadForeign writes what another program brought into the lexicon's tables, exactly as
// the document lists it: proposals that its own model approved and rejected, which no
// model of the demo does.
func (d *Demo) loadForeign(ctx context.Context) error {
	schema := d.stage.Schema(lexicon.Schema)
	submissions, terms, users := schema.Tables[0].Name, schema.Tables[1].Name, schema.Tables[3].Name
	at := d.ago(6, 3).UTC().Format(time.RFC3339)
	proposal := func(id, term, meaning, status string, confidence float64) map[string]any {
		return map[string]any{
			"PK": "TERM#" + term, "SK": "SUBMISSION#" + id, "submission_id": id, "user_id": "demo-partner", "slang_term": term, "meaning": meaning,
			"example_usage": "“" + term + "” in a message to a friend.", "context": "Sent by a partner's program.", "status": status, "created_at": at, "reviewed_at": at,
			"approval_type": "llm_auto", "reviewed_by": "partner", "llm_validation_status": status,
			"llm_validation_result": map[string]any{"is_valid": status == lexicon.AutoApproved, "confidence": confidence, "usage_score": 8}, "upvotes": 0,
		}
	}
	const term, meaning = "yap", "to talk at length about nothing much"
	items := map[string][]map[string]any{
		submissions: {proposal("partner-1", term, meaning, lexicon.AutoApproved, 0.93), proposal("partner-2", "zzyx", "nothing that anyone knows", lexicon.Rejected, 0.2)},
		terms: {{
			"PK": "TERM#" + term, "SK": "METADATA#lexicon", "source": "SOURCE#submission", "term": term, "gloss": meaning, "variants": []string{"yapping"}, "examples": []string{"He can yap for an hour."},
			"tags": []string{"talk"}, "regions": []string{"US"}, "sources": []string{"partner"}, "is_quiz_eligible": false, "confidence": 0.93, "momentum": 0.8, "last_updated": at,
		}},
		users: {{"PK": "USER#demo-partner", "SK": "PROFILE", "email": "partner@pressroom.example", "tier": "free", "status": "active", "created_at": at, "updated_at": at}},
	}
	for table, rows := range items {
		for _, row := range rows {
			item, err := attributevalue.MarshalMap(row)
			if err != nil {
				return err
			}
			if _, err := d.stage.Tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
				return fmt.Errorf("write to %s: %w", table, err)
			}
		}
	}
	return nil
}
