package sqlagent

import (
	"context"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/recall"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/refusal"
)

// selection is the model's choice of tables.
type selection struct {
	Tables []string `json:"tables" jsonschema:"description=names of the tables that are needed"`
	Reason string   `json:"reason,omitempty" jsonschema:"description=one sentence why"`
}

// selectData is the data of the prompt for choosing tables.
type selectData struct {
	Question  string
	MaxTables int
	Tables    []promptTable
	Known     string         // what is remembered of the user; quoted data
	Unknown   []UnknownTable // tables in the model's last reply that do not exist
}

// An UnknownTable is a name that a model gave and that is not a table.
type UnknownTable struct {
	Name       string   // quoted
	Candidates []string // tables that may have been meant
}

const maxCandidates = 3

// selectTables is the first node: the model chooses the tables that the question
// is about. If it names tables that do not exist, it is asked once more. If it
// still chooses none, tables that share words with the question are used.
func (a *agent) selectTables(ctx context.Context, s state) (state, error) {
	data := selectData{Question: s.Question, MaxTables: min(a.opt.Limits.ChosenTables, len(a.catalog.names))}
	shown, err := a.selection(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data.Tables = shown
	if s.Known, err = recall.Recall(ctx, a.opt.User, s.Question, recalledTurns); err != nil {
		return s, err
	}
	if data.Known, err = a.known(ctx, s); err != nil {
		return s, err
	}

	var reason string
	none := a.texts(ctx).NoTables
	problem := "the model chose no table that exists"
	for range 2 {
		req, err := a.model.Request("select_tables", a.prompts["select"], &data, s.History)
		if err != nil {
			return s, err
		}
		chosen, err := modelcall.Choose[selection](ctx, a.model, req, map[string]llm.Choice{
			"tables": {Texts: a.catalog.names, Most: data.MaxTables},
		})
		if modelcall.Unusable(err) {
			none, problem = a.texts(ctx).Unread, "the model's choice could not be read: "+err.Error()
			break
		}
		if err != nil {
			return s, err
		}
		reason = chosen.Reason
		s.Tables, data.Unknown = a.named(chosen.Tables)
		if len(data.Unknown) == 0 {
			break
		}
	}
	fallback := len(s.Tables) == 0
	if fallback {
		hits, err := a.nearest(ctx, s.Question, maxFallbackTables, false)
		if err != nil {
			return s, err
		}
		s.Tables, s.GuessedTables = names(hits), true
		reason = problem + "; these share words with the question"
	}
	if len(s.Tables) == 0 {
		s.Reason = none
	}
	qed.Emit(ctx, qed.TablesSelected{Tables: s.Tables, Fallback: fallback, Reason: reason})
	return s, nil
}

// named splits the names that a model chose into tables and names that are not
// tables. Each table is listed once, and at most MaxTables of both.
func (a *agent) named(chosen []string) (tables []string, unknown []UnknownTable) {
	for _, name := range chosen {
		found, ok := a.catalog.meant(name)
		switch {
		case !ok:
			if len(unknown) < a.opt.Limits.ChosenTables {
				name = prompt.Clip(name, maxComment)
				unknown = append(unknown, UnknownTable{
					Name:       prompt.Quote(name),
					Candidates: refusal.Nearest(name, a.catalog.names, maxCandidates),
				})
			}
		case !slices.Contains(tables, found) && len(tables) < a.opt.Limits.ChosenTables:
			tables = append(tables, found)
		}
	}
	return tables, unknown
}
