package research

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research/references"
	"github.com/qedkit/qed/store"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error.
type Options struct {
	// Request returns the settings of a turn. It is called when the turn begins; a
	// resumed run keeps the Request. Nil means the zero Request.
	Request func(ctx context.Context, turn qed.Turn) (Request, error)
	// Filter returns what the user of a turn may read, from the context that the
	// host passed to the agent. It is called by several goroutines, before each
	// search and before each use of what was found. Its error ends the turn. Nil
	// means that every user may read everything.
	Filter func(ctx context.Context) (rag.Filter, error)
	// Databases are searchers that a [Request] can select by their names.
	Databases map[string]rag.Searcher
	// Registry has the names of the documents. The ID of a document in it is its
	// [rag.Chunk.Document]. Nil means that references to other documents are
	// searched for in all documents.
	Registry *references.Registry
	// Web searches the web for a URL that a passage refers to, unless the URL has a
	// password or its host is a private address or name. It returns at most
	// max results, which are untrusted data: those without a text or an address of
	// http or https are dropped. Nil means that the web is not searched.
	Web func(ctx context.Context, query string, max int) ([]WebResult, error)

	// MaxRounds is the largest number of rounds of an iterative clarification. 0
	// means that the clarification asks at most one question. A round counts as one
	// question towards [qed.DurableOptions.MaxQuestions].
	MaxRounds int
	// ApprovePlan interrupts the run before the tasks, until the user approves them.
	// The Draft of the question is the [qed.TodoList] as JSON. An edited draft has
	// the same form.
	ApprovePlan bool
	// MaxTasks is the largest number of tasks, including those that are added during
	// the research. 0 means 15. More than 15 is an error.
	MaxTasks int

	TopK            int // passages of a search; 0 means 5
	MinPassages     int // that a search for a task adds to the findings, at least; 0 means 2
	MaxDepth        int // of references that are followed; 0 means 2
	MaxIterations   int // searches for a task itself; 0 means 3
	MaxSameDocument int // searches of a task that may find the same document and nothing new; 0 means 3
	TaskTokens      int // of the model calls of a task; 0 means 50,000

	// Settings are how the agent calls its model.
	llm.Settings

	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved, unless the agent runs within a durable run of another agent: then
	// it is part of that run. Without a Store, users cannot be asked.
	Store store.Store
	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the agent's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions
}

// A Request has the settings of one turn, which the host chooses.
type Request struct {
	// Queries are research queries, at most 5. If there are any, the clarification
	// is skipped.
	Queries []string `json:"queries,omitempty"`
	// Collections are searched, which documents have in their [rag.Chunk.Metadata]
	// under "collection". Nil means all.
	Collections []string `json:"collections,omitempty"`
	// Database is one of [Options.Databases]. Empty means the searcher of [New].
	Database string `json:"database,omitempty"`
}

// A WebResult is a page that a web search found. It is untrusted.
type WebResult struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// ErrForbidden matches the error of a run that has found a passage that the user may
// not read: the rights were revoked since, or the searcher ignores the filter of a
// query.
var ErrForbidden = errors.New("research: a passage that was found may not be read")

// The limits that are not options.
const (
	mostTasks         = 15
	maxQueries        = 5
	roundQueries      = 3  // of a round of the clarification
	roundPassages     = 3  // of each query of a round
	followPassages    = 3  // of a reference
	maxReferences     = 10 // of a passage
	maxWebResults     = 2
	maxReportFindings = 60

	collectionKey = "collection" // of [rag.Chunk.Metadata]
	maxPassage    = 4000         // bytes of a passage that the model is shown
	minRelevance  = 0.6          // of a finding, from 0 to 1
	minQuality    = 375          // of a report, from 0 to 500
)

func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	const at = "research: Options."
	err := cmp.Or(
		option.Default(at+"MaxRounds", &v.MaxRounds, 0),
		option.Default(at+"MaxTasks", &v.MaxTasks, mostTasks),
		option.Default(at+"TopK", &v.TopK, 5),
		option.Default(at+"MinPassages", &v.MinPassages, 2),
		option.Default(at+"MaxDepth", &v.MaxDepth, 2),
		option.Default(at+"MaxIterations", &v.MaxIterations, 3),
		option.Default(at+"MaxSameDocument", &v.MaxSameDocument, 3),
		option.Default(at+"TaskTokens", &v.TaskTokens, 50_000),
	)
	switch {
	case err != nil:
		return v, err
	case v.MaxTasks > mostTasks:
		return v, fmt.Errorf("research: Options.MaxTasks is %d: at most %d is allowed", v.MaxTasks, mostTasks)
	case v.Durable != nil && v.Store == nil:
		return v, errors.New("research: Options.Durable needs Options.Store")
	}
	for name, s := range v.Databases {
		if s == nil {
			return v, fmt.Errorf("research: Options.Databases: the searcher of %q is nil", name)
		}
	}
	return v, nil
}

// check returns an error if the Request of a host cannot be used.
func (a *agent) check(r *Request) error {
	if _, ok := a.opt.Databases[r.Database]; !ok && r.Database != "" {
		names := slices.Sorted(maps.Keys(a.opt.Databases))
		return fmt.Errorf("research: Request.Database is %q: Options.Databases has %s",
			prompt.Clip(r.Database, 100), cmp.Or(strings.Join(names, ", "), "none"))
	}
	given := len(r.Queries)
	r.Queries = clipped(r.Queries, maxQueries, maxQuery)
	if given > maxQueries || given > 0 && len(r.Queries) == 0 {
		return fmt.Errorf("research: Request.Queries has %d queries: between 1 and %d that are not blank are allowed",
			given, maxQueries)
	}
	return nil
}
