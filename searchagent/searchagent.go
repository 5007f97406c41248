// Package searchagent answers questions from indices of Elasticsearch or
// OpenSearch and shows the proof: the plan, the search of each task as the model
// wrote it and as it ran, its duration, how many documents match, every correction
// with its reason, and the documents.
//
//	agent, err := searchagent.New(model, engine, validator, nil)
//	...
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "Which contracts end this year?"})
//
// A question passes through a [qed.Graph]. Each node is in the file of its name:
//
//	classify -> plan -> generate -> search -> pages -> answer
//	                       ^          |
//	                       |          +-> explain   nothing was found: which condition is the reason
//	                       |          +-> choose    several were found, one is needed: the user is asked
//	                       +----------+
//
// A plan has one or more tasks that build on each other, such as "find the folder by
// its name, then the documents in it". Tasks that do not need each other run
// concurrently. The search of a task that needs the result of another is written
// when that result is known. A task never runs without the results that it needs.
//
// The model plans, writes searches and puts the result into words. Everything
// else is computed: package [esquery] checks what the model wrote and adds the
// host's filter, and an [Engine] runs only the checked search. A search that is
// refused, or that the engine rejects, is corrected a limited number of times.
// If a search finds nothing, the agent counts the documents that match each
// condition alone, and the model writes the search once more. A search of an alias
// that is refused because its indices read a field differently becomes one task per
// index, if the validator allows each of them.
//
// [NewSource] returns one index as a source for tools. It checks and runs searches in
// the same way, without a model.
//
// # Retries
//
// An [Engine] repeats requests that fail because of a server or the network, as
// package [esclient] does. The agent itself repeats no request. The agent
// corrects searches that the engine rejects, that take too long or that return
// too much, and once a search with which the engine fails (HTTP status 500).
// Other failures end the turn, such as a server that cannot be reached, or an index
// that is missing or closed. If a task ran before, the answer is partial and
// contains what was found. Otherwise the turn fails with an error, which matches a
// kind of package [esquery]; with a Store, it can be resumed later.
//
// # What the model sees
//
// The following goes to the model's provider: the names of the indices and
// [Options.About], the fields that a question is likely about with their types,
// the conversation, the searches with their problems, and the documents that
// were found, up to [Options.MaxDocumentBytes]. Fields that the Validator hides
// are never sent: the agent removes them from the documents, whatever the
// Engine returns. Data in a prompt is quoted, limited and marked as data.
//
// # Requests
//
// The requests to the model are named after their nodes ([llm.Request.Name]), for
// scripted models, traces, and [llm.ByName], with which a cheaper model answers some
// of them. The replies are JSON, except for the last:
//
//	classify   {"intent": "search", "confidence": "high", "reasoning": "why"}
//	plan       {"steps": [{"key": "folder", "task": "find the folder named Tax", "index": "files",
//	            "after": [], "one": true}], "reason": "why these"}
//	generate   {"body": "{\"query\": ...}", "show": ["name"], "reason": "if body is empty"}
//	answer     text
//
// The requests of concurrent tasks come in any order; each contains the text of its
// task. With a Store there is one more: a reply of the user that is not the number
// or the text of a choice is parsed with "read_reply" ([question.Parser]).
//
// [esclient]: https://pkg.go.dev/github.com/qedkit/qed/esquery/esclient
// [esquery]: https://pkg.go.dev/github.com/qedkit/qed/esquery
package searchagent

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"iter"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
)

// ErrFilter is the error of a turn or a query if [Options.Filter] or
// [SourceOptions.Filter] fails, or returns no filter or one that does not fit.
// Nothing is searched then.
var ErrFilter = errors.New("there is no filter for the turn, so nothing may be searched")

var errNoResult = errors.New("searchagent: the Engine returned neither a result nor an error")

// An Engine runs searches. The client of package esclient is one. It is safe for
// concurrent use.
//
// If the server or the network fails, its errors are [*esquery.EngineError].
type Engine interface {
	// Search runs s.
	Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error)

	// Count returns how many documents match the query of s.
	Count(ctx context.Context, s *esquery.Search) (int64, error)

	// Pages returns everything that s finds in pages, as of one point in time.
	Pages(ctx context.Context, s *esquery.Search, opt *esquery.PageOptions) iter.Seq2[*esquery.Result, error]
}

// New returns an agent that answers questions by searching on e within what v
// allows. A nil opt means the defaults.
//
// With [Options.Store] the agent saves conversations: the model sees the
// earlier messages, a turn that stopped can be resumed, and the user can be
// asked which of several documents is meant. Without a store, pass the earlier
// messages in [qed.Turn.History]; an answer that would need the user's choice
// is partial and lists the choices. The agent is safe for concurrent use.
//
// The agent spends no more than a budget in the context allows
// ([budget.With]). When the budget is used up, the answer is partial and
// contains what was found.
//
// A turn fails if nothing was searched and the model or the engine cannot be
// reached, the filter fails or the context ends. Errors of the model match the
// kinds of package llm, and those of the engine the kinds of package esquery. A
// turn without a text is [qed.ErrEmptyTurn]; with a Store it resumes a stopped
// turn. If the question cannot be answered as it was asked, or it does not ask for a
// search, the answer is partial and says why. That nothing was found is an answer, unless
// another search needed what was looked for.
func New(model llm.Model, e Engine, v *esquery.Validator, opt *Options) (qed.Agent, error) {
	if model == nil || e == nil || v == nil {
		return nil, errors.New("searchagent: New needs a model, an engine and a validator")
	}
	o, err := opt.withDefaults(v)
	if err != nil {
		return nil, err
	}
	m, err := modelcall.New("searchagent", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	m.MaxHistoryMessages, m.Shorter = maxHistoryMessages, "lower MaxDocumentBytes"
	a := &agent{
		model:     m,
		reader:    reader{engine: e, page: o.PageSize, most: o.MaxRows, fieldType: v.FieldType},
		validator: v,
		opt:       o,
		lookups:   lru.New[lookupKey, document](cacheSize, cacheTTL),
	}
	a.prompts, err = promptset.Load("searchagent: Options.Prompts", promptFiles, o.Prompts, map[string]any{
		"classify": classifyData{}, "plan": planData{}, "generate": generateData{}, "answer": answerData{},
	}, drafts.Rules)
	if err != nil {
		return nil, err
	}
	runner, err := a.graph()
	if err != nil {
		return nil, fmt.Errorf("searchagent: %w", err)
	}
	answers := qed.NewAgent(runner, begin, a.finish, &qed.AgentOptions[state]{OnError: a.salvage})
	if o.Store != nil {
		answers = qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings))
	}
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Ask(a.admit(ctx, turn), answers, turn)
	}), nil
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// agent is what all turns share. What one turn knows is its state.
type agent struct {
	model     *modelcall.Model
	reader    reader
	validator *esquery.Validator
	opt       Options
	prompts   promptset.Set
	lookups   *lru.Cache[lookupKey, document]
}

// graph returns the nodes and edges that a question passes through.
func (a *agent) graph() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("search")

	g.Node("classify", a.classify, nil)
	g.Node("plan", a.plan, nil)
	g.Node("generate", a.generate, nil)
	g.Node("search", a.search, nil)
	g.Node("explain", a.explain, nil)
	g.Node("choose", a.choose, nil)
	g.Node("pages", a.pages, nil)
	g.Node("answer", a.answer, nil)

	g.Edge(qed.Start, "classify")
	g.Route("classify", afterClassifying, "plan", "answer")
	g.Route("plan", next, "generate", "answer")
	g.Route("generate", next, "search", "choose", "pages", "answer")
	g.Route("search", next, "explain", "generate", "choose", "pages", "answer")
	g.Route("explain", next, "generate", "choose", "pages", "answer")
	g.Route("choose", next, "generate", "pages", "answer")
	g.Edge("pages", "answer")
	g.Edge("answer", qed.End)

	// The first search of a task, the one after an empty result, and the corrections.
	searches := 2 + a.opt.MaxCorrections
	return g.Compile(&qed.CompileOptions{
		MaxSteps: visitsOnce + maxTasks*(2*searches+visitsPerTask),
		WrapUp:   "answer",
	})
}

// The highest number of nodes that a turn visits, apart from generate and search.
const (
	visitsOnce    = 6
	visitsPerTask = 4 // explain twice, choose, and one more
)

func afterClassifying(s state) string {
	if s.Reason != "" {
		return "answer"
	}
	return "plan"
}

// next returns the node after any node of the loop, by the phases of the tasks. The
// user is asked last, when everything else is done.
func next(s state) string {
	for _, node := range []struct {
		of   phase
		name string
	}{{searching, "search"}, {explaining, "explain"}, {drafting, "generate"}, {choosing, "choose"}} {
		for i := range s.Tasks {
			if s.Tasks[i].Phase == node.of || node.of == drafting && s.ready(i) {
				return node.name
			}
		}
	}
	if s.paged() >= 0 {
		return "pages"
	}
	return "answer"
}
