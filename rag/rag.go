// Package rag answers questions from documents, and names the passages that its
// answers rest on.
//
// [Read] cuts Markdown files into chunks, an [Index] finds the chunks that have to
// do with a question, and the agent of [New] has a model answer from the best of
// them and from nothing else. Each is of use without the others: chunks can go to
// a vector database, and any [Searcher] can take the Index's place.
//
// The way of a question is a [qed.Graph]:
//
//	rewrite_question -> search -> answer_from_documents
//
// The first node is visited only where something was said before the question: it
// makes "and how do I undo that?" a question that can be searched for.
//
// # Citations
//
// A passage is cited by its number in square brackets, such as [1]. In the answer,
// [n] is the n-th of [qed.Answer.Citations], which are the cited passages and no
// others: numbers are changed to fit as the text streams, and a number that no
// passage has is taken out. An answer that cites nothing is partial, and says so;
// and where no passage has anything to do with the question, the model is not
// asked at all.
//
// That the cited passage says what the answer says is not checked.
//
// # What the model sees
//
// Everything that follows goes to the model's provider: the question, the
// conversation where there is one ([Options.MaxHistoryMessages]), and the passages
// with their documents' names. All of it is quoted and capped, and said to be
// data. Who may read which documents is for the [Searcher] to know.
//
// # Requests
//
// The requests have the names of their nodes, for scripted models and traces
// ([llm.Request.Name]):
//
//	rewrite_question        {"question": "a question that stands alone"}
//	answer_from_documents   text with citations: "It is closed [1]."
package rag

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// New returns an agent that answers from what searcher finds. A nil opt means the
// defaults.
//
// With [Options.Store] the agent keeps conversations: what was said before is
// told to the model, and a turn that stopped can go on. Without one, pass what
// was said before in [qed.Turn.History]. The agent is safe for concurrent use.
//
// What a budget in the context ([qed.WithBudget]) leaves is all that the agent
// spends.
//
// A turn ends with an error where nobody can answer it (the model or the searcher
// fails, the context ends); it ends with a partial Answer that says why where the
// documents do not answer the question. Errors of the model match the kinds of
// package llm, and a turn without a text [qed.ErrEmptyTurn].
func New(model llm.Model, searcher Searcher, opt *Options) (qed.Agent, error) {
	if model == nil || searcher == nil {
		return nil, errors.New("rag: New needs a model and a searcher")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := o.asking(model)
	if err != nil {
		return nil, err
	}
	a := &agent{model: m, searcher: searcher, opt: o}

	g := qed.NewGraph[state]("rag")
	g.Node("rewrite_question", a.rewrite, nil)
	g.Node("search", a.search, nil)
	g.Node("answer_from_documents", a.answer, nil)
	g.Route(qed.Start, first, "rewrite_question", "search")
	g.Edge("rewrite_question", "search")
	g.Edge("search", "answer_from_documents")
	g.Edge("answer_from_documents", qed.End)
	runner, err := g.Compile(&qed.CompileOptions{WrapUp: "answer_from_documents"})
	if err != nil {
		return nil, fmt.Errorf("rag: %w", err)
	}
	answers := qed.NewAgent(runner, a.begin, finish, nil)
	if o.Store == nil {
		return answers, nil
	}
	return qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings)), nil
}

// agent is what all turns share; what one turn knows is its state.
type agent struct {
	model    *asking.Model
	searcher Searcher
	opt      Options
}

// state is what one turn knows so far. It survives JSON, as every state of a graph
// does, and stays small: what is not needed any more is dropped.
type state struct {
	Question string        // once it is rewritten, it stands alone
	History  []llm.Message // what was said before, oldest first; none once the question is rewritten

	Passages []Passage
	Text     string
	Sources  []qed.Citation // of Text
	Reason   string         // why the answer is partial; empty: it is not
	Usage    llm.Usage
}

// begin is the state that a turn starts from.
func (a *agent) begin(_ context.Context, _ state, turn qed.Turn) (state, error) {
	s := state{Question: strings.TrimSpace(turn.Text)}
	if s.Question == "" {
		return state{}, fmt.Errorf("rag: %w", qed.ErrEmptyTurn)
	}
	for _, m := range turn.History[max(0, len(turn.History)-a.opt.MaxHistoryMessages):] {
		if m.Content != "" && (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) {
			s.History = append(s.History, llm.Message{Role: m.Role, Content: prompt.Clip(m.Content, maxMessage)})
		}
	}
	return s, nil
}

const maxMessage = 4000 // bytes

func first(s state) string {
	if len(s.History) > 0 {
		return "rewrite_question"
	}
	return "search"
}

// finish is the answer that a turn ends with.
func finish(_ context.Context, s state) (qed.Answer, error) {
	return qed.Answer{
		Text:          s.Text,
		Citations:     s.Sources,
		Partial:       s.Reason != "",
		PartialReason: s.Reason,
		Usage:         s.Usage,
	}, nil
}

// Passage is a chunk as the model sees it. Its texts are data.
type Passage struct {
	Number int // from 1: by it the model cites
	Source qed.Citation
	Text   string
}

// search finds the passages that the answer may rest on.
func (a *agent) search(ctx context.Context, s state) (state, error) {
	hits, err := a.searcher.Search(ctx, s.Question, a.opt.Chunks)
	if err != nil {
		return s, err
	}
	for _, h := range hits {
		if n := len(s.Passages); h.Score > a.opt.MinScore && n < a.opt.Chunks {
			s.Passages = append(s.Passages, Passage{n + 1, h.Chunk.source(), prompt.Clip(h.Chunk.Text, a.opt.MaxChunkBytes)})
		}
	}
	found := qed.Retrieved{Query: s.Question}
	for _, p := range s.Passages {
		found.Citations = append(found.Citations, p.Source)
	}
	qed.Emit(ctx, found)
	return s, nil
}
