// Package rag answers questions from documents and cites the passages that each
// answer is based on.
//
// [Read] splits files into chunks, and an [Index] finds the chunks that are relevant
// to a question. The agent that [New] returns shows the best of them to a model,
// which is instructed to use only these:
//
//	chunks, err := rag.Read(ctx, os.DirFS("manual"), nil)
//	...
//	index, err := rag.NewIndex(rag.NewMemory(), &rag.IndexOptions{Embedder: embedder})
//	...
//	err = index.Put(ctx, chunks)
//	...
//	agent, err := rag.New(model, index, nil)
//
// Each part can be used without the others: [Split] splits the texts of other
// sources, the chunks of an Index are in any [Backend], and any [Searcher] can
// replace the Index. [NewTool] returns the search alone, as a tool for other agents.
// Package [rag/pdf] reads PDF files. Packages [rag/pgindex], [rag/esindex] and
// [rag/chromaindex] are Backends in PostgreSQL, Elasticsearch and Chroma.
//
// The agent is a [qed.Graph]:
//
//	rewrite_question -> search -> answer_from_documents
//
// The first node runs only if the turn has a history. It rewrites a question
// such as "and how do I undo that?" so that it can be searched for.
//
// # Citations
//
// The model cites a passage by its key in square brackets, such as [c4k7fm]. In
// the answer, [n] refers to the n-th of [qed.Answer.Citations], which holds the
// cited passages and no others. Keys are replaced while the text streams, and keys
// of passages that do not exist are removed. An answer without a citation is
// partial.
//
// [qed.Answer.Audit] has the removed keys, and what package [citation] found about
// the quotations, numbers, dates and claims of the text. It does not change the
// text.
//
// If no passage is relevant, or the model says that the passages do not answer the
// question, [qed.Answer.NotFound] is set and the answer is partial. In the first
// case the model is not called.
//
// # What the model sees
//
// The model's provider receives the question, the conversation if there is one
// ([Options.MaxHistoryMessages]), and the passages with the names of their
// documents. All of it is quoted, limited in length and marked as data. The
// [Searcher] and [Options.Filter] decide which documents a user may read.
//
// # Requests
//
// The requests are named after their nodes, for scripted models and traces
// ([llm.Request.Name]):
//
//	rewrite_question        {"question": "a question that stands alone"}
//	answer_from_documents   text with citations: "It is closed [c4k7fm]."
//	                        or [none]: the passages do not answer the question
//
// [citation]: https://pkg.go.dev/github.com/qedkit/qed/rag/citation
// [rag/chromaindex]: https://pkg.go.dev/github.com/qedkit/qed/rag/chromaindex
// [rag/esindex]: https://pkg.go.dev/github.com/qedkit/qed/rag/esindex
// [rag/pdf]: https://pkg.go.dev/github.com/qedkit/qed/rag/pdf
// [rag/pgindex]: https://pkg.go.dev/github.com/qedkit/qed/rag/pgindex
package rag

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag/citation"
)

// New returns an agent that answers from the passages that searcher finds. A
// nil opt means the defaults.
//
// With [Options.Store] the agent saves conversations: the model sees earlier
// messages, and a turn that stopped can be resumed. Without a Store, pass
// earlier messages in [qed.Turn.History]. The agent is safe for concurrent use.
// It stays within the budget of its context ([budget.With]).
//
// If the documents do not answer the question, the turn ends with a partial
// Answer that says why. A turn ends with an error if the model or the searcher
// fails or the context is done. Errors of the model match the kinds of package
// llm. A turn without a text is an error that matches [qed.ErrEmptyTurn].
func New(model llm.Model, searcher Searcher, opt *Options) (qed.Agent, error) {
	if model == nil || searcher == nil {
		return nil, errors.New("rag: New needs a model and a searcher")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	m, err := modelcall.New("rag", model, o.Settings, qed.DurableModel) // without history: the question stands alone
	if err != nil {
		return nil, err
	}
	a := &agent{model: m, searcher: searcher, opt: o}
	a.prompts, err = promptset.Load("rag: Options.Prompts", promptFiles, o.Prompts, map[string]any{
		"rewrite": rewriteData{}, "answer": answerData{},
	})
	if err != nil {
		return nil, err
	}

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

// agent is shared by all turns.
type agent struct {
	model    *modelcall.Model
	searcher Searcher
	opt      Options
	prompts  promptset.Set
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// state is the state of one turn. Nodes clear what later nodes do not need, so
// that it stays small in the log.
type state struct {
	Question string        // stands alone once it is rewritten
	History  []llm.Message // oldest first; nil once the question is rewritten

	Passages  []Passage
	Text      string
	Citations []qed.Citation     // of Text
	Audit     *qed.CitationAudit // of Text
	Unproved  []string           // of Text
	NotFound  bool               // the documents do not answer the question
	Reason    string             // why the answer is partial; empty if it is not
}

// begin returns the state at the beginning of a turn.
func (a *agent) begin(_ context.Context, _ state, turn qed.Turn) (state, error) {
	s := state{Question: strings.TrimSpace(turn.Text)}
	if s.Question == "" {
		return state{}, fmt.Errorf("rag: %w", qed.ErrEmptyTurn)
	}
	for _, m := range turn.History[max(0, len(turn.History)-a.opt.MaxHistoryMessages):] {
		if text := m.Text(); text != "" && (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) {
			s.History = append(s.History, llm.Message{Role: m.Role, Content: prompt.Clip(text, maxMessage)})
		}
	}
	return s, nil
}

const maxMessage = 4000 // bytes

// first returns the first node of a turn.
func first(s state) string {
	if len(s.History) > 0 {
		return "rewrite_question"
	}
	return "search"
}

// finish returns the answer of a finished turn.
func finish(_ context.Context, s state) (qed.Answer, error) {
	return qed.Answer{
		Text:          s.Text,
		Citations:     s.Citations,
		Audit:         s.Audit,
		Unproved:      s.Unproved,
		NotFound:      s.NotFound,
		Partial:       s.Reason != "",
		PartialReason: s.Reason,
	}, nil
}

// A Passage is a chunk as the model sees it. Its texts are data.
type Passage struct {
	Key      string // the model cites the passage by it
	Citation qed.Citation
	Text     string
}

// search is the node that finds the passages for the answer.
func (a *agent) search(ctx context.Context, s state) (state, error) {
	q := Query{Text: s.Question, K: a.opt.TopK}
	if a.opt.Filter != nil {
		var err error
		if q.Filter, err = a.opt.Filter(ctx); err != nil {
			return s, err
		}
	}
	began := time.Now()
	hits, err := search(ctx, a.searcher, q)
	if err != nil {
		return s, err
	}
	found := qed.Retrieved{Query: s.Question, Millis: time.Since(began).Milliseconds()}
	var keys []string
	texts := []string{s.Question}
	for _, h := range hits {
		if len(s.Passages) == a.opt.TopK {
			break // the Searcher returned more than k
		}
		if !(h.Score > a.opt.MinScore) { // nor a score that is NaN
			continue
		}
		p := Passage{
			Citation: h.Chunk.Citation(),
			Text:     prompt.Clip(h.Chunk.Text, maxPassage),
		}
		s.Passages = append(s.Passages, p)
		keys = append(keys, citation.Key(h.Chunk.Document, strconv.Itoa(h.Chunk.Number), h.Chunk.Text))
		texts = append(texts, p.Citation.Title, p.Text)
		found.Citations = append(found.Citations, p.Citation)
	}
	for i, key := range citation.Keys(keys, texts...) {
		s.Passages[i].Key = key
	}
	qed.Emit(ctx, found)
	return s, nil
}

// search returns the hits of a searcher. It fails if a hit is outside of the filter,
// so that a Searcher that ignores the filter shows nobody what they may not read.
func search(ctx context.Context, searcher Searcher, q Query) ([]Hit, error) {
	hits, err := searcher.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	allowed := q.Filter.matcher()
	for _, h := range hits {
		if !allowed(&h.Chunk) {
			return nil, errors.New("rag: the searcher returned a chunk that Query.Filter does not match: " +
				"the Searcher has to apply the filter")
		}
	}
	return hits, nil
}
