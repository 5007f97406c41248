// Package research has an agent that answers a question from documents. It follows
// the references in them to other documents, and writes a report with its sources.
//
//	agent, err := research.New(model, index, &research.Options{
//		Registry: registry, // the names of the documents
//		Store:    st,
//	})
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "1", Text: "Which deadlines apply?"})
//	if len(answer.Questions) > 0 {
//		... // the next turn of the thread has the replies
//	}
//	report, err := research.ReportOf(answer)
//
// The agent is a [qed.Graph] with four phases:
//
//	analyze_question -> ask_user                              clarification
//	explore_documents <-> ask_user -> conclude_clarification  the same, iterative
//	plan_tasks -> approve_plan                                tasks
//	execute_tasks <-> execute_tasks                           research
//	synthesize -> check_quality -> attribute_sources          report
//
// Each turn is a research of its own, so its text must be clear without the
// conversation before it.
//
// # Clarification
//
// If the host gives research queries ([Request]), nothing is asked. Otherwise the
// question is analyzed, and the user is asked at most one question. With
// [Options.MaxRounds] the clarification is iterative: each round searches with three
// queries, judges what they found, and asks two or three questions. It ends if
// the user replies "/end", after the last round, or by convergence: a coverage of at
// least 0.8, at least 70% of its passages known from earlier rounds, and at most two
// gaps.
//
// Questions, tasks and the report are in the language of the question, with the terms
// of the documents. [qed.Turn.Language] sets another one.
//
// # Tasks
//
// The plan is a [qed.TodoList] of at most 15 tasks. With [Options.ApprovePlan] the
// user approves, edits or rejects it. Tasks that do not need each other run at the
// same time. A task searches, and condenses each passage that it finds. It detects
// the references in a passage by patterns and by the model, and the model decides
// which of them to follow. How depends on the kind of the reference:
//
//   - A law or a document is resolved with [Options.Registry], and searched for in
//     the document that it names. If that finds nothing, all documents are searched.
//   - A section without a document is searched for in the document that it is in.
//   - A citation of literature is searched for in all documents.
//   - A URL is searched for by [Options.Web], and is not followed without it.
//
// A passage belongs to the findings if its relevance is at least
// 0.6. If a search has too few of these, the best others are
// added: see [Options.MinPassages].
//
// A task ends when the model says that it is done, or by one of its limits:
// references are followed [Options.MaxDepth] deep and each only once, there are
// at most [Options.MaxIterations] searches for the task itself, its model calls have a
// budget of [Options.TaskTokens], and [Options.MaxSameDocument] searches may find
// nothing new in the same document. A model call is not made if it could exceed the budget. So a
// research ends whatever the model replies.
//
// # Report
//
// The model cites findings by their keys, as in package [rag]. Keys that no finding
// has are removed and counted. The quality of a report is a number from 0 to 500. A
// report below 375 points is written once more, with what was wrong with
// it, and the better of the two is used. The text of the answer ends with what failed and,
// written by code, how it was researched: what was searched for and read, what is cited,
// which names of documents were not found, and what the audit of the citations says.
//
// # What the model sees
//
// The model's provider receives the question, the replies of the user, and the
// passages with the names of their documents. All of it is quoted, limited in length
// and marked as data. [Options.Filter] and the searcher decide which documents a
// user may read. Results of a web search are as untrusted as documents.
//
// # Durable runs
//
// With [Options.Store] each model call and each search is recorded, and a run that
// stopped is resumed where it was: see [qed.Durable]. The rights of the user are not
// recorded. If a passage that was found may not be read any more when the run is
// resumed, the run ends with [ErrForbidden].
//
// # Events
//
// The list of tasks is emitted as [qed.Planned] whenever it changes, tasks as
// [qed.TaskStarted] and [qed.TaskFinished], and searches as [qed.Retrieved]. A
// [qed.CustomEvent] of the kind "research_progress" has a [Progress].
//
// # Requests
//
// The requests have these names ([llm.Request.Name]), for scripted models, traces
// and [llm.ByName], with which a cheaper model answers some of them. The prompt of each is the file of that name in the folder prompts. The
// replies are JSON, except the report:
//
//	analyze_question        {"key_concepts": [".."], "entities": [".."], "scope": "..",
//	                         "clarification_needed": true, "language": "en",
//	                         "queries": [".."], "question": ".."}
//	write_queries           {"language": "en", "queries": ["..", ".."]}
//	judge_coverage          {"coverage": 0.5, "gaps": [".."], "questions": [".."]}
//	conclude_clarification  {"key_concepts": [".."], "entities": [".."], "scope": "..",
//	                         "queries": [".."], "context": ".."}
//	plan_tasks              {"tasks": [{"description": "..", "query": "..", "after": [1]}]}
//	refine_query            {"query": ".."}
//	condense_passage        {"relevant": "..", "score": 0.9, "references": [
//	                         {"type": "document_mention", "text": "..", "target": ".."}]}
//	gate_references         {"decisions": [{"reference": 0, "follow": true, "reason": ".."}]}
//	assess_task             {"done": false, "gaps": [".."], "query": "..",
//	                         "tasks": [{"description": "..", "query": ".."}]}
//	write_report            text with citations: "It is closed [c4k7fm]."
//	check_quality           {"factual_accuracy": 90, "semantic_validity": 90,
//	                         "structural_integrity": 90, "query_relevance": 90,
//	                         "issues": [".."], "focus": ".."}
//
// A message that comes while a question is open is read with the request
// "read_reply" ([question.Parser]).
//
// [rag]: https://pkg.go.dev/github.com/qedkit/qed/rag
package research

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
)

// New returns an agent that researches in the documents that searcher finds. Nil
// options mean the defaults. The agent is safe for concurrent use. It stays within
// the budget of its context ([github.com/qedkit/qed/budget.With]): when that is used
// up, it writes the report from what it has found so far.
//
// Questions to the user need a Store and a [qed.Turn.Thread]. Without them the
// clarification asks nothing, and with Options.ApprovePlan a turn ends with an error
// that matches [qed.ErrCannotInterrupt].
//
// A search that fails is reported in the answer, which is partial then. A turn ends
// with an error if the model is not available, if the context is done, or if
// Options.Request or Options.Filter returns one. Other errors match [ErrForbidden],
// or [qed.ErrEmptyTurn] for a turn without a text.
func New(model llm.Model, searcher rag.Searcher, opt *Options) (qed.Agent, error) {
	if model == nil || searcher == nil {
		return nil, errors.New("research: New needs a model and a searcher")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := modelcall.New("research", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	a := &agent{model: m, searcher: searcher, opt: o}
	runner, err := a.graph()
	if err != nil {
		return nil, fmt.Errorf("research: %w", err)
	}
	answers := qed.NewAgent(runner, a.begin, a.finish, nil)
	if o.Store == nil {
		return answers, nil
	}
	return qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings)), nil
}

// agent does not change after New.
type agent struct {
	model    *modelcall.Model
	searcher rag.Searcher
	opt      Options // with the defaults
}

// graph returns the graph of a turn.
func (a *agent) graph() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("research")
	g.Node("analyze_question", a.analyze, nil)
	g.Node("explore_documents", a.explore, nil)
	g.Node("ask_user", a.askUser, nil)
	g.Node("conclude_clarification", a.conclude, nil)
	g.Node("plan_tasks", a.plan, nil)
	g.Node("approve_plan", a.approve, nil)
	g.Node("execute_tasks", a.execute, nil)
	g.Node("synthesize", a.synthesize, nil)
	g.Node("check_quality", a.checkQuality, nil)
	g.Node("attribute_sources", a.attribute, nil)

	g.Route(qed.Start, a.entry, "plan_tasks", "explore_documents", "analyze_question")
	g.Route("analyze_question", afterClarifying, "ask_user", "plan_tasks")
	g.Route("explore_documents", afterClarifying, "ask_user", "conclude_clarification")
	g.Route("ask_user", a.afterReply, "explore_documents", "conclude_clarification", "plan_tasks")
	g.Edge("conclude_clarification", "plan_tasks")
	g.Route("plan_tasks", a.afterPlanning, "approve_plan", "execute_tasks", "attribute_sources")
	g.Route("approve_plan", a.afterPlanning, "execute_tasks", "attribute_sources")
	g.Route("execute_tasks", afterTasks, "execute_tasks", "synthesize")
	g.Edge("synthesize", "check_quality")
	g.Route("check_quality", afterChecking, "synthesize", "attribute_sources")
	g.Edge("attribute_sources", qed.End)
	return g.Compile(&qed.CompileOptions{
		MaxSteps: 20 + 2*a.opt.MaxRounds + a.opt.MaxTasks,
		WrapUp:   "synthesize",
	})
}

// begin returns the state at the beginning of a turn.
func (a *agent) begin(ctx context.Context, _ state, turn qed.Turn) (state, error) {
	s := state{Question: strings.TrimSpace(turn.Text)}
	if s.Question == "" {
		return s, fmt.Errorf("research: %w", qed.ErrEmptyTurn)
	}
	s.learn(turn.Language)
	s.learn(usertext.LanguageOf(s.Question))
	if a.opt.Request != nil {
		var err error
		if s.Request, err = a.opt.Request(ctx, turn); err != nil {
			return s, err
		}
	}
	if err := a.check(&s.Request); err != nil {
		return s, err
	}
	s.Queries = s.Request.Queries
	return s, nil
}

// entry returns the first node of a turn.
func (a *agent) entry(s state) string {
	switch {
	case len(s.Queries) > 0:
		return "plan_tasks"
	case a.opt.MaxRounds > 0:
		return "explore_documents"
	}
	return "analyze_question"
}

// texts returns the texts in the language of the question.
func (a *agent) texts(ctx context.Context, s *state) *texts {
	if s.Language != "" {
		return textTable.In(ctx, s.Language)
	}
	return textTable.In(ctx, qed.Info(ctx).Language)
}
