package research

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/rag"
)

// An Analysis is how a question is understood.
type Analysis struct {
	KeyConcepts         []string `json:"key_concepts"`
	Entities            []string `json:"entities"`
	Scope               string   `json:"scope"`
	ClarificationNeeded bool     `json:"clarification_needed"`
}

// A Clarification is what was asked before a research.
type Clarification struct {
	Rounds []Round `json:"rounds,omitempty"`
	// Ended is why the clarification ended.
	Ended ClarificationEnd `json:"ended"`
}

// A Round is one question of a clarification, with the search before it if the
// clarification is iterative.
type Round struct {
	Queries   []string `json:"queries,omitempty"`
	Found     int      `json:"found,omitempty"`     // passages
	Dedup     float64  `json:"dedup,omitempty"`     // the share of them that was found before
	Coverage  float64  `json:"coverage,omitempty"`  // from 0 to 1
	Gaps      []string `json:"gaps,omitempty"`      // what is missing
	Questions []string `json:"questions,omitempty"` // to the user; empty if nothing was asked
	Reply     string   `json:"reply,omitempty"`
}

// A ClarificationEnd is why a clarification ended.
type ClarificationEnd string

const (
	EndQueriesGiven ClarificationEnd = "queries_given"  // there was none: see [Request]
	EndIsClear      ClarificationEnd = "is_clear"       // the model has no question
	EndReplied      ClarificationEnd = "replied"        // the user replied to the one question
	EndByUser       ClarificationEnd = "user_end"       // the user replied "/end"
	EndMaxRounds    ClarificationEnd = "max_iterations" // see [Options.MaxRounds]
	EndConvergence  ClarificationEnd = "convergence"    // another round would find little
	EndCannotAsk    ClarificationEnd = "cannot_ask"     // the run cannot be interrupted
	EndNotAnalyzed  ClarificationEnd = "not_analyzed"   // the model's reply could not be used
)

// The limits of convergence.
const (
	minCoverage = 0.8
	minDedup    = 0.7
	maxGaps     = 2
)

// analyzeData is the data of the prompt that analyzes a question.
type analyzeData struct {
	Question, Language string
	Dates              dates.Facts
}

// analyzed is the model's reply to that prompt.
type analyzed struct {
	Analysis
	Language string   `json:"language" jsonschema_description:"tag of the question's language"`
	Queries  []string `json:"queries" jsonschema:"minItems=1,maxItems=3"`
	Question string   `json:"question,omitempty" jsonschema_description:"to the user; empty if no clarification is needed"`
}

// analyze is the node that analyzes the question once.
func (a *agent) analyze(ctx context.Context, s state) (state, error) {
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := analyzeData{Question: s.Question, Language: s.language(), Dates: facts}
	reply, err := modelcall.Reply[analyzed](ctx, a.model, "analyze_question", analyzePrompt, data, nil)
	s.Clarification.Ended = EndIsClear
	switch {
	case modelcall.Unusable(err):
		s.Clarification.Ended, s.Queries = EndNotAnalyzed, []string{s.Question}
		return s, nil
	case err != nil:
		return s, err
	}
	s.learn(reply.Language)
	s.Analysis = reply.Analysis.tidy()
	s.Queries = searchable(s.Question, reply.Queries)
	if ask := tidy(reply.Question, maxQuery); reply.ClarificationNeeded && ask != "" {
		s.Clarification = Clarification{Rounds: []Round{{Questions: []string{ask}}}}
	}
	return s, nil
}

// tidy returns the analysis of a model within the limits.
func (n Analysis) tidy() *Analysis {
	n.KeyConcepts, n.Entities = clipped(n.KeyConcepts, 20, maxNote), clipped(n.Entities, 20, maxNote)
	n.Scope = tidy(n.Scope, maxReply)
	return &n
}

// searchable returns research queries: those of the model, or the question.
func searchable(question string, queries []string) []string {
	if queries = clipped(queries, maxQueries, maxQuery); len(queries) > 0 {
		return queries
	}
	return []string{tidy(question, maxQuery)}
}

// clarifyData is the data of the prompts of an iterative clarification.
type clarifyData struct {
	Question, Language string
	Rounds             []Round
	Passages           []shown
}

func (d *clarifyData) ShrinkRows() bool { return modelcall.Halve(&d.Passages, 0) }

func (s *state) clarifyData() *clarifyData {
	d := &clarifyData{Question: s.Question, Language: s.language(), Rounds: s.Clarification.Rounds}
	for _, c := range s.Background[max(0, len(s.Background)-2*roundQueries*roundPassages):] {
		d.Passages = append(d.Passages, shown{Title: c.Citation().Title, Text: prompt.Clip(c.Text, maxBackground)})
	}
	return d
}

const maxBackground = 1200 // bytes of a passage

// furtherQueries is the model's reply with the other queries of a round.
type furtherQueries struct {
	Language string   `json:"language"`
	Queries  []string `json:"queries" jsonschema:"minItems=2,maxItems=2"`
}

// judged is the model's reply about what a round found.
type judged struct {
	Coverage  float64  `json:"coverage" jsonschema:"minimum=0,maximum=1"`
	Gaps      []string `json:"gaps"`
	Questions []string `json:"questions" jsonschema:"maxItems=3"`
}

// explore is the node of a round of the iterative clarification: it searches, and
// judges what it found.
func (a *agent) explore(ctx context.Context, s state) (state, error) {
	round := Round{Queries: []string{tidy(s.Question, maxQuery)}}
	written, err := modelcall.Reply[furtherQueries](ctx, a.model, "write_queries", queriesPrompt, s.clarifyData(), nil)
	if err != nil && !modelcall.Unusable(err) {
		return s, err
	}
	s.learn(written.Language)
	round.Queries = lists.Add(round.Queries, clipped(written.Queries, roundQueries-1, maxQuery)...)
	if err := a.retrieve(ctx, &s, &round); err != nil {
		return s, err
	}
	s.Clarification.Rounds = append(s.Clarification.Rounds, round)
	found, err := modelcall.Reply[judged](ctx, a.model, "judge_coverage", coveragePrompt, s.clarifyData(), nil)
	last := &s.Clarification.Rounds[len(s.Clarification.Rounds)-1]
	switch {
	case modelcall.Unusable(err):
		s.Clarification.Ended = EndNotAnalyzed
		return s, nil
	case err != nil:
		return s, err
	}
	last.Coverage, last.Gaps = found.Coverage, clipped(found.Gaps, 20, maxNote)
	last.Questions = clipped(found.Questions, 3, maxQuery)
	switch {
	case last.Coverage >= minCoverage && last.Dedup >= minDedup && len(last.Gaps) <= maxGaps: // another round would find little
		s.Clarification.Ended, last.Questions = EndConvergence, nil
	case len(last.Questions) == 0:
		s.Clarification.Ended = EndIsClear
	}
	return s, nil
}

// retrieve searches with the queries of a round, and adds what is new to the
// background.
func (a *agent) retrieve(ctx context.Context, s *state, round *Round) error {
	known := lists.Set(s.Background, id)
	repeated := 0
	for _, q := range round.Queries {
		hits, problem, err := a.search(ctx, s.Request, rag.Query{Text: q, K: roundPassages})
		if err != nil {
			return err
		}
		if problem != "" {
			s.problem(usertext.Fill(a.texts(ctx, s).SearchFailed, "query", q))
		}
		for _, h := range hits {
			round.Found++
			if known[id(h.Chunk)] {
				repeated++
				continue
			}
			known[id(h.Chunk)] = true
			s.Background = append(s.Background, h.Chunk)
		}
	}
	if round.Found > 0 {
		round.Dedup = float64(repeated) / float64(round.Found)
	}
	return nil
}

// afterClarifying returns the node after one that may have a question.
func afterClarifying(s state) string {
	c := s.Clarification
	if n := len(c.Rounds); n > 0 && c.Ended == "" {
		return "ask_user"
	}
	if len(c.Rounds) > 0 {
		return "conclude_clarification"
	}
	return "plan_tasks"
}

// askUser is the node that asks the questions of the last round.
func (a *agent) askUser(ctx context.Context, s state) (state, error) {
	texts := a.texts(ctx, &s)
	round := &s.Clarification.Rounds[len(s.Clarification.Rounds)-1]
	text := round.Questions[0]
	if a.opt.MaxRounds > 0 {
		var lines strings.Builder
		lines.WriteString(texts.Questions)
		for i, q := range round.Questions {
			lines.WriteString("\n" + strconv.Itoa(i+1) + ". " + q)
		}
		text = lines.String() + "\n" + texts.EndHint
	}
	reply, err := qed.Interrupt[string](ctx, question.Question{Text: text})
	switch {
	case errors.Is(err, qed.ErrCannotInterrupt):
		s.Clarification.Ended = EndCannotAsk
		return s, nil
	case errors.Is(err, qed.ErrTooManyQuestions):
		s.Clarification.Ended = EndMaxRounds
		return s, nil
	case err != nil:
		return s, err
	case saysEnd(reply):
		s.Clarification.Ended = EndByUser
		return s, nil
	}
	round.Reply = prompt.Clip(strings.TrimSpace(reply), maxReply)
	switch {
	case a.opt.MaxRounds == 0:
		s.Clarification.Ended, s.Context = EndReplied, round.Reply
	case len(s.Clarification.Rounds) >= a.opt.MaxRounds:
		s.Clarification.Ended = EndMaxRounds
	}
	return s, nil
}

// afterReply returns the node after the one that asks the user.
func (a *agent) afterReply(s state) string {
	switch {
	case a.opt.MaxRounds == 0:
		return "plan_tasks"
	case s.Clarification.Ended != "":
		return "conclude_clarification"
	}
	return "explore_documents"
}

const endCommand = "/end"

func saysEnd(text string) bool { return strings.EqualFold(strings.TrimSpace(text), endCommand) }

// concluded is the model's reply at the end of an iterative clarification.
type concluded struct {
	KeyConcepts []string `json:"key_concepts"`
	Entities    []string `json:"entities"`
	Scope       string   `json:"scope"`
	Queries     []string `json:"queries" jsonschema:"minItems=1,maxItems=5"`
	Context     string   `json:"context"`
}

// conclude is the node that makes research queries of an iterative clarification. If
// the model's reply cannot be used, they are those of the last round.
func (a *agent) conclude(ctx context.Context, s state) (state, error) {
	rounds := s.Clarification.Rounds
	s.Queries = rounds[len(rounds)-1].Queries
	var replies []string
	for _, r := range rounds {
		if r.Reply != "" {
			replies = append(replies, r.Reply)
		}
	}
	s.Context = prompt.Clip(strings.Join(replies, "\n"), maxReply)
	reply, err := modelcall.Reply[concluded](ctx, a.model, "conclude_clarification", concludePrompt, s.clarifyData(), nil)
	s.Background = nil
	switch {
	case modelcall.Unusable(err):
		return s, nil
	case err != nil:
		return s, err
	}
	s.Analysis = Analysis{KeyConcepts: reply.KeyConcepts, Entities: reply.Entities, Scope: reply.Scope}.tidy()
	s.Queries = searchable(s.Question, reply.Queries)
	if text := strings.TrimSpace(reply.Context); text != "" {
		s.Context = prompt.Clip(text, maxReply)
	}
	return s, nil
}

// spent reports whether err says that a budget is used up.
func spent(err error) bool { return errors.Is(err, budget.ErrExceeded) }
