package sqlagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/sqlagent/values"
)

// nameValues finds the values of the joined tables that the question names. A resumed
// run has those that it had before.
func (a *agent) nameValues(ctx context.Context, s *state) error {
	if a.opt.Values == nil {
		return nil
	}
	found, err := qed.Step(ctx, "values", "of the question", func(ctx context.Context) ([]values.Match, error) {
		dictionary, err := a.opt.Values(ctx)
		if err != nil || dictionary == nil {
			return nil, err
		}
		caller := values.CallerOf(ctx)
		if owner, shared := dictionary.Owner(); a.perSession && !shared && owner == (values.Caller{}) {
			return nil, fmt.Errorf("%w: the statements of the database have sessions, and the dictionary has no owner",
				values.ErrCaller)
		}
		return dictionary.Search(ctx, values.Query{
			Caller: caller, Text: s.Question, Limit: maxNamedValues,
			Columns: func(table, column string) bool {
				name, ok := a.catalog.find(table)
				return ok && slices.Contains(s.Joined, name) && a.catalog.has(name, []string{column}) &&
					a.opt.Columns.Allows(name, column)
			},
		})
	})
	if err != nil {
		return fmt.Errorf("sqlagent: Options.Values: %w", err)
	}
	s.Named = found
	return nil
}

// valueLines returns matches for a prompt.
func valueLines(matches []values.Match) []string {
	return lists.Map(matches, func(m values.Match) string {
		return prompt.Quote(prompt.Clip(m.Said, maxComment)) + ": " + m.Table + "." + m.Column + " = " + prompt.Quote(m.Value)
	})
}

// taken returns the values that a statement compares with, of those that the question
// names in other words.
func (s *state) taken(sql string) []qed.ValueMatch {
	var out []qed.ValueMatch
	sql = strings.ToLower(sql) // a statement may compare in lower case
	for _, m := range s.Named {
		literal := "'" + strings.ReplaceAll(strings.ToLower(m.Value), "'", "''") + "'"
		if m.Literal() || !strings.Contains(sql, literal) {
			continue
		}
		out = append(out, qed.ValueMatch{Said: m.Said, Table: m.Table, Column: m.Column, Value: m.Value})
	}
	return out
}

// readAs returns a sentence for each of the words that were read as other values.
func readAs(texts *texts, taken []qed.ValueMatch) string {
	var order []string
	of := map[string][]string{}
	for _, t := range taken {
		if of[t.Said] == nil {
			order = append(order, t.Said)
		}
		if value := prompt.Quote(t.Value); !slices.Contains(of[t.Said], value) {
			of[t.Said] = append(of[t.Said], value)
		}
	}
	for i, said := range order {
		order[i] = usertext.Fill(texts.ReadAs, "said", prompt.Quote(said), "values", strings.Join(of[said], ", "))
	}
	return strings.Join(order, " ")
}
