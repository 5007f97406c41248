package sqlagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

// nearest returns the tables that a question is most likely about, the best first,
// at most limit of them. With pad set, tables that have nothing in common with it
// follow, in the order of their names.
func (r *reader) nearest(ctx context.Context, question string, limit int, pad bool) ([]schemasearch.Hit, error) {
	hits, err := r.hits(ctx, question, limit)
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	if !pad {
		hits = slices.DeleteFunc(hits, func(h schemasearch.Hit) bool { return !h.Matches })
	}
	return hits, nil
}

// hits asks the host's index, or the catalog's own. The host's may have tables that
// the policy does not allow; they are left out.
func (r *reader) hits(ctx context.Context, question string, limit int) ([]schemasearch.Hit, error) {
	if r.opt.Search == nil {
		return r.catalog.search.Search(ctx, question, limit)
	}
	found, err := r.opt.Search.Search(ctx, question, r.opt.Search.Tables())
	if err != nil {
		return nil, err
	}
	var hits []schemasearch.Hit
	seen := map[string]bool{}
	for _, h := range found {
		name, ok := r.catalog.find(h.Table)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		h.Table = name
		if hits = append(hits, h); len(hits) == limit {
			break
		}
	}
	return hits, nil
}

func names(hits []schemasearch.Hit) []string {
	return lists.Map(hits, func(h schemasearch.Hit) string { return h.Table })
}

// all returns all tables with all their columns, in the order of their names, or nil if
// they are too many.
func (c *catalog) all(listed int) []promptTable {
	if len(c.names) > listed {
		return nil
	}
	tables := make([]promptTable, len(c.names))
	tokens := 0
	for i, name := range c.names {
		tables[i] = c.describe(name, len(c.columns[name]), false)
		if tokens += tables[i].tokens(); tokens > maxWholeTokens {
			return nil
		}
	}
	return tables
}

// selection returns the tables that the model chooses from, within the token limit: all,
// which servers read once, or those that are likeliest for the question. The likeliest
// have their likeliest columns, at least those that the question names; of the rest there
// are only the names.
func (r *reader) selection(ctx context.Context, question string) ([]promptTable, error) {
	if all := r.catalog.all(r.opt.Limits.ListedTables); all != nil && r.opt.Search == nil {
		return all, nil
	}
	hits, err := r.nearest(ctx, question, min(r.opt.Limits.ListedTables, len(r.catalog.names)), true)
	if err != nil {
		return nil, err
	}
	var tables []promptTable
	left := maxSelectionTokens
	for i, h := range hits {
		columns := likeliestFirst(r.catalog.columns[h.Table], h.Columns)
		t := r.catalog.describeBy(h.Table, columns, max(maxSelectedColumns, h.Named), false)
		names := r.namesCost(hits[i+1:])
		if cost := t.tokens(); cost <= left-min(names, maxSelectionTokens/namesShare) {
			left -= cost
			tables = append(tables, t)
			continue
		}
		t = promptTable{Name: h.Table, More: len(columns)}
		if left -= t.tokens(); left < 0 {
			break
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// namesShare is the part of the token limit, one in so many, that is kept for the names
// of tables that are shown without columns.
const namesShare = 4

// namesCost estimates the tokens of the names of tables.
func (r *reader) namesCost(hits []schemasearch.Hit) int {
	cost := 0
	for _, h := range hits {
		if cost += len(h.Table)/2 + 8; cost > maxSelectionTokens {
			break
		}
	}
	return cost
}

// likeliestFirst returns columns in the order of names. Those that names does not list come
// last.
func likeliestFirst(columns, names []string) []string {
	place := make(map[string]int, len(names))
	for i, name := range names {
		place[name] = i - len(names)
	}
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b string) int { return place[a] - place[b] })
	return columns
}

// tokens estimates the tokens of a table in the prompt.
func (t promptTable) tokens() int {
	return llm.EstimateTextTokens(t.Name) + llm.EstimateTextTokens(strings.Join(t.Columns, ", ")) +
		llm.EstimateTextTokens(t.Comment) + 6
}
