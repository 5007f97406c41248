// Package searchagent answers questions from indices of Elasticsearch or
// OpenSearch, with the proof: the plan, each step's search as the model wrote it
// and as it ran, how long it took, how many documents there are, every correction
// and why, and the documents.
//
// The way of a question is a [qed.Graph]:
//
//	classify -> plan -> write -> search -> pages -> answer
//	                      ^        |
//	                      |        +-> explain   nothing was found: which condition is to blame
//	                      |        +-> choose    several were found where one is needed: the user is asked
//	                      +--------+
//
// A plan has one step or several that build on each other, such as "find the folder
// by its name, then the documents in it". Steps that do not need each other run at
// the same time. A step that needs what another found is written when that is known,
// from its documents. No step runs on nothing.
//
// The model plans, writes searches and puts what was found into words; everything
// else is computed. Package esquery reads what the model wrote and refuses it or
// makes a search of it, with the host's filter in it, and an [Engine] runs nothing
// else. A search that is refused, or that the engine rejects, is written anew with
// what is wrong, a limited number of times. One that finds nothing is looked into,
// clause by clause, and written anew once.
//
// [NewSource] is one index for tools: what is checked and run there goes the same way,
// and no model takes part.
//
// # Who tries again
//
// What a server or a network does not do is the [Engine]'s to repeat: package
// esclient waits and tries again, and the agent never does. What the model can cure
// (a search that the engine rejects, that takes too long or returns too much) is the
// agent's, by another search. What nobody can cure ends the turn with an error, which
// matches a kind of package esquery; with a Store, the turn can go on later from
// where it was. Without one the answer is made of the steps that ran, and partial.
//
// # What the model sees
//
// Everything that follows goes to the model's provider: the indices' names and what
// [Options.About] says of them, the fields that a question is likely about, with
// their types, the conversation, the searches with their faults, and the documents
// that were found, as far as [Options.MaxDocumentBytes] goes. Fields that the
// Validator hides never do: they are taken out of documents here once more, whatever
// the Engine returns. Data among it is quoted and capped, and said to be data.
//
// # Requests
//
// The requests have these names, for scripted models and traces
// ([llm.Request.Name]). What comes back is JSON but for the last:
//
//	classify   {"search": true, "confidence": "high", "reason": "why"}
//	plan       {"steps": [{"key": "folder", "task": "find the folder named Tax", "index": "files",
//	            "after": [], "one": true}], "reason": "why these"}
//	generate   {"body": "{\"query\": ..}", "show": ["name"], "reason": "where body is empty"}
//	answer     text
//
// The requests of steps that run at the same time come in any order; each holds the
// text of its task. With a Store there is one more: what a user says to a question, unless
// it is an option's number or its words, is read with "read_reply" ([qed.ParseReplies]).
package searchagent

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/llm"
)

// Engine runs searches. The client of package esclient is one. It is safe for
// concurrent use.
//
// Its errors are [*esquery.EngineError] where the server, or the way to it, failed.
type Engine interface {
	// Search runs s as it is.
	Search(ctx context.Context, s *esquery.Search) (*esquery.Result, error)
	// Count returns how many documents match the query of s.
	Count(ctx context.Context, s *esquery.Search) (int64, error)
	// Pages reads all that s finds, by page, as of one moment.
	Pages(ctx context.Context, s *esquery.Search, opt *esquery.PageOptions) iter.Seq2[*esquery.Result, error]
}

// New returns the search agent: a [qed.Agent] that answers from what v lets the
// model search on e. A nil opt means the defaults.
//
// With [Options.Store] the agent keeps conversations: what was said before is told
// to the model, a turn that stopped can go on, and the user can be asked which of
// several documents he means. Without one, pass what was said before in
// [qed.Turn.History]; where the agent would ask, the answer then has the choices, and
// is partial. The agent is safe for concurrent use.
//
// What a budget in the context ([qed.WithBudget]) leaves is all that the agent
// spends; when it is used up, the answer is made of what there is, and partial.
//
// A turn ends with an error where nobody can answer it (the model or the engine is
// unreachable, the filter fails, the context ends); it ends with a partial Answer that
// says why where the question could not be answered as it was asked, nothing was found,
// or it asks for anything but searching. A turn without a text is [qed.ErrEmptyTurn];
// with a Store it goes on with what stopped.
// Errors of the model match the kinds of package llm, those of the engine the kinds of
// package esquery.
func New(model llm.Model, e Engine, v *esquery.Validator, opt *Options) (qed.Agent, error) {
	if model == nil || e == nil || v == nil {
		return nil, errors.New("searchagent: New needs a model, an engine and a validator")
	}
	o, err := opt.withDefaults(v)
	if err != nil {
		return nil, err
	}
	m, err := o.asking(model)
	if err != nil {
		return nil, err
	}
	a := &agent{
		model:     m,
		reader:    reader{e, o.Size, o.MaxResults},
		validator: v,
		opt:       o,
		lookups:   newLookups(o.CacheSize, o.CacheTTL),
	}
	runner, err := a.pipeline()
	if err != nil {
		return nil, fmt.Errorf("searchagent: %w", err)
	}
	var on qed.AgentOptions[state]
	if o.Store == nil {
		on.OnError = a.salvage
	}
	answers := qed.NewAgent(runner, begin, a.finish, &on)
	if o.Store != nil {
		answers = qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings))
	}
	return qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		return qed.Ask(a.admit(ctx, turn), answers, turn)
	}), nil
}

// agent is what all turns share; what one turn knows is its state.
type agent struct {
	model     *asking.Model
	reader    reader
	validator *esquery.Validator
	opt       Options
	lookups   *lookups
}

// pipeline is the way a question takes.
func (a *agent) pipeline() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("search")

	g.Node("classify", a.classify, nil)
	g.Node("plan", a.plan, nil)
	g.Node("write", a.write, nil)
	g.Node("search", a.search, nil)
	g.Node("explain", a.explain, nil)
	g.Node("choose", a.choose, nil)
	g.Node("pages", a.pages, nil)
	g.Node("answer", a.answer, nil)

	g.Edge(qed.Start, "classify")
	g.Route("classify", afterClassifying, "plan", "answer")
	g.Route("plan", next, "write", "answer")
	g.Route("write", next, "search", "choose", "pages", "answer")
	g.Route("search", next, "explain", "write", "choose", "pages", "answer")
	g.Route("explain", next, "write", "choose", "pages", "answer")
	g.Route("choose", next, "write", "pages", "answer")
	g.Edge("pages", "answer")
	g.Edge("answer", qed.End)

	return g.Compile(&qed.CompileOptions{
		MaxSteps: visitsOnce + a.opt.MaxSteps*(2*a.opt.searches()+visitsPerStep),
		WrapUp:   "answer",
	})
}

// How many nodes a turn visits at most: once each, and for each step of the plan,
// beside the writing and the running of its searches.
const (
	visitsOnce    = 6
	visitsPerStep = 4 // explained twice, chosen, and once more
)

func afterClassifying(s state) string {
	if s.Reason != "" {
		return "answer"
	}
	return "plan"
}

// next says what comes after any node of the loop, by the steps' phases. What needs
// no user comes first, so that all is done that can be done when he is asked.
func next(s state) string {
	for _, node := range []struct {
		of   phase
		name string
	}{{searching, "search"}, {explaining, "explain"}, {writing, "write"}, {choosing, "choose"}} {
		for i := range s.Steps {
			if s.Steps[i].Phase == node.of || node.of == writing && s.ready(i) {
				return node.name
			}
		}
	}
	if s.paged() >= 0 {
		return "pages"
	}
	return "answer"
}
