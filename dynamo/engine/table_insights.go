package engine

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// insightsDef says that contributor insights are wanted of a table or index. It
// is kept and told; the rules that they consist of belong to another service, and
// there are none.
type insightsDef struct {
	Enabled bool
	Mode    types.ContributorInsightsMode
	Updated time.Time
}

// UpdateContributorInsights turns the insights of a table or index on or off.
func (e *Engine) UpdateContributorInsights(ctx context.Context, in *dynamodb.UpdateContributorInsightsInput) (*dynamodb.UpdateContributorInsightsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.nameOrARN("tableName", in.TableName)
	c.indexName(in.IndexName)
	c.present("contributorInsightsAction", in.ContributorInsightsAction != "")
	c.enum("contributorInsightsAction", string(in.ContributorInsightsAction), "ENABLE", "DISABLE")
	c.enum("contributorInsightsMode", string(in.ContributorInsightsMode), "ACCESSED_AND_THROTTLED_KEYS", "THROTTLED_KEYS")
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.insightsTable(*in.TableName, in.IndexName)
	if err != nil {
		return nil, err
	}
	out := &dynamodb.UpdateContributorInsightsOutput{TableName: aws.String(t.name), IndexName: in.IndexName}
	err = e.alter(t, func(def *tableDef) error {
		d := def.Insights[aws.ToString(in.IndexName)]
		d.Enabled, d.Updated = in.ContributorInsightsAction == types.ContributorInsightsActionEnable, e.now()
		if in.ContributorInsightsMode != "" {
			d.Mode = in.ContributorInsightsMode
		}
		if def.Insights == nil {
			def.Insights = map[string]insightsDef{}
		}
		def.Insights[aws.ToString(in.IndexName)] = d
		out.ContributorInsightsMode, out.ContributorInsightsStatus = d.mode(), types.ContributorInsightsStatusDisabling
		if d.Enabled {
			out.ContributorInsightsStatus = types.ContributorInsightsStatusEnabling
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// DescribeContributorInsights tells whether the insights of a table or index are
// on.
func (e *Engine) DescribeContributorInsights(ctx context.Context, in *dynamodb.DescribeContributorInsightsInput) (*dynamodb.DescribeContributorInsightsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.nameOrARN("tableName", in.TableName)
	c.indexName(in.IndexName)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.insightsTable(*in.TableName, in.IndexName)
	if err != nil {
		return nil, err
	}
	d, ok := t.shape.Load().def.Insights[aws.ToString(in.IndexName)]
	out := &dynamodb.DescribeContributorInsightsOutput{
		TableName: aws.String(t.name), IndexName: in.IndexName, ContributorInsightsStatus: d.status(), ContributorInsightsRuleList: []string{},
	}
	if ok {
		out.ContributorInsightsMode, out.LastUpdateDateTime = d.mode(), aws.Time(d.Updated)
	}
	return out, nil
}

// ListContributorInsights lists what insights were ever wanted of, on one page.
func (e *Engine) ListContributorInsights(ctx context.Context, in *dynamodb.ListContributorInsightsInput) (*dynamodb.ListContributorInsightsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	names := e.catalog.names()
	if in.TableName != nil {
		t, err := e.insightsTable(*in.TableName, nil)
		if err != nil {
			return nil, err
		}
		names = []string{t.name}
	}
	out := &dynamodb.ListContributorInsightsOutput{ContributorInsightsSummaries: []types.ContributorInsightsSummary{}}
	for _, name := range names {
		t := e.catalog.get(name)
		if t == nil {
			continue
		}
		all := t.shape.Load().def.Insights
		indexes := make([]string, 0, len(all))
		for index := range all {
			indexes = append(indexes, index)
		}
		slices.Sort(indexes)
		for _, index := range indexes {
			d := all[index]
			s := types.ContributorInsightsSummary{TableName: aws.String(t.name), ContributorInsightsStatus: d.status(), ContributorInsightsMode: d.mode()}
			if index != "" {
				s.IndexName = aws.String(index)
			}
			out.ContributorInsightsSummaries = append(out.ContributorInsightsSummaries, s)
		}
	}
	return out, nil
}

func (d insightsDef) status() types.ContributorInsightsStatus {
	if d.Enabled {
		return types.ContributorInsightsStatusEnabled
	}
	return types.ContributorInsightsStatusDisabled
}

func (d insightsDef) mode() types.ContributorInsightsMode {
	if d.Mode == "" {
		return types.ContributorInsightsModeAccessedAndThrottledKeys
	}
	return d.Mode
}

func (e *Engine) insightsTable(nameOrARN string, index *string) (*table, error) {
	t, err := e.describedTable(nameOrARN)
	if err != nil {
		return nil, err
	}
	if index != nil && t.shape.Load().index(*index) == nil {
		return nil, newError(NotFound, "Requested resource not found: Table: %s or Index: %s not found", t.name, *index)
	}
	return t, nil
}
