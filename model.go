package qed

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
)

// DurableModel returns a model whose calls are part of the run: they are recorded as
// by [Step], so a resumed run does not pay for them again, and they are spent of the
// budget. The agents of this module use it for the models that they are given.
//
// A call is not made if it could cost more tokens than the budget has left. The cost
// is that of the request, as [llm.EstimateTokens] estimates it, plus the request's
// MaxOutputTokens, or 4,096 if it has none.
//
// A recorded response is streamed in one piece, and its usage counts. A failed call
// of a durable run returns a [*CallError], which unwraps to the [*llm.Error].
func DurableModel(m llm.Model) llm.Model { return llm.Wrap(m, durableModel) }

func durableModel(m llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		sc := scopeOf(ctx)
		if ctx.Value(paying{}) == any(sc) {
			return m.Generate(ctx, req, stream)
		}
		if sc.place == nil {
			return paid(ctx, m, req, stream)
		}
		key, err := req.Hash()
		if err != nil {
			return paid(ctx, m, req, stream) // the model returns a better error
		}
		name := req.Name
		name = cmp.Or(name, "model")
		made := false
		call := func(ctx context.Context) (*llm.Response, error) {
			made = true
			return paid(ctx, m, req, stream)
		}
		resp, err := recorded(ctx, sc, recording{name: name, in: key, cost: responseCost}, call)
		if made || err != nil {
			return resp, err
		}
		sc.spending.add(resp.Usage)
		if stream != nil && resp.Message.Content != "" {
			stream(llm.Delta{Text: resp.Message.Content})
		}
		return resp, nil
	})
}

// paying is the key of the scope in which a call is paid for: a model that is made durable
// twice is paid for once.
type paying struct{}

// usageOf returns what a call cost: a reply that was cut off or refused costs tokens too.
func usageOf(resp *llm.Response, err error) llm.Usage {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		resp = e.Partial
	}
	if resp == nil {
		return llm.Usage{}
	}
	return resp.Usage
}

// responseCost is the cost of a recorded call, with its response or nil.
func responseCost(v any) budget.Limits {
	if resp, ok := v.(*llm.Response); ok && resp != nil {
		return costOf(resp.Usage)
	}
	return budget.Limits{ModelCalls: 1}
}

// usualReply is how many tokens a response may cost if its request has no limit.
const usualReply = 4096

// paid makes a call within the budget, and counts what it used.
func paid(
	ctx context.Context, m llm.Model, req *llm.Request, stream func(llm.Delta),
) (resp *llm.Response, err error) {
	sc := scopeOf(ctx)
	defer func() { sc.used(usageOf(resp, err)) }()
	ctx = context.WithValue(ctx, paying{}, sc)
	if _, ok := budget.Remaining(ctx); !ok {
		resp, err = m.Generate(ctx, req, stream)
		budget.Charge(ctx, actualCost(resp, err, 0, 0))
		warnIfCut(ctx, req, resp)
		return resp, err
	}
	most := req.MaxOutputTokens
	if most <= 0 {
		most = usualReply
	}
	sent := llm.EstimateTokens(req)
	estimate := addCapped(sent, most)
	r, err := budget.Reserve(ctx, budget.Limits{Tokens: estimate, ModelCalls: 1})
	if err != nil {
		return nil, err
	}
	limited, cancel := budget.WithDeadline(ctx)
	defer cancel()
	resp, err = m.Generate(limited, req, stream)
	r.Settle(actualCost(resp, err, sent, estimate))
	if err != nil {
		return nil, withCause(limited, err)
	}
	warnIfCut(ctx, req, resp)
	return resp, nil
}

// Servers of local models cut prompts at their context without an error. No tokenizer has
// fewer tokens than one for so many letters of a long text.
const (
	mostLetters = 6 // of a token, on average
	longPrompt  = 6000
)

// warnIfCut emits a [Warning] if a server read much less than it was sent.
func warnIfCut(ctx context.Context, req *llm.Request, resp *llm.Response) {
	if resp == nil || resp.Usage.InputTokens == 0 {
		return
	}
	few := func(letters int) bool {
		return letters >= longPrompt && resp.Usage.InputTokens < letters/mostLetters
	}
	if !few(lists.Sum(req.Messages, func(m llm.Message) int { return len(m.Text()) })) {
		return
	}
	letters := lists.Sum(req.Messages, func(m llm.Message) int {
		return utf8.RuneCountInString(strings.Join(strings.Fields(m.Text()), " ")) // many spaces may be one token
	})
	if !few(letters) {
		return
	}
	Emit(ctx, Warning{Code: "prompt_cut", Message: fmt.Sprintf(
		"the server read %d tokens of a prompt of %d letters (%s): it cuts prompts at its context; set ContextTokens to it",
		resp.Usage.InputTokens, letters, req.Name)})
}

// actualCost returns what a call cost. sent and estimate are the tokens of its
// request, and those of the request and the expected response.
func actualCost(resp *llm.Response, err error, sent, estimate int) budget.Limits {
	if err != nil {
		used := costOf(usageOf(nil, err))
		return budget.Limits{Tokens: max(used.Tokens, sent), ModelCalls: 1} // the provider may have processed it
	}
	cost := costOf(resp.Usage)
	cost.Tokens = cmp.Or(cost.Tokens, estimate) // the provider does not report it
	return cost
}

func costOf(u llm.Usage) budget.Limits {
	return budget.Limits{Tokens: addCapped(u.InputTokens, u.OutputTokens), ModelCalls: max(1, u.Calls)}
}

// addCapped adds two numbers without overflow.
func addCapped(a, b int) int {
	if a > math.MaxInt-max(b, 0) {
		return math.MaxInt
	}
	return a + b
}

// A spending is what the models of a part of a run used. A nil one counts nothing.
type spending struct {
	mu    sync.Mutex
	usage llm.Usage
}

func (s *spending) add(u llm.Usage) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.usage.Add(u)
	}
}

func (s *spending) total() llm.Usage {
	if s == nil {
		return llm.Usage{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usage
}

// used counts what a model used in s.
func (s *scope) used(u llm.Usage) {
	s.spending.add(u)
	if s.place != nil {
		s.place.log.spending.add(u)
	}
}

// usage returns what the models of the turn or the task of s used so far. If the turn is
// all of a durable run, this includes what they used before the run was resumed.
func (s *scope) usage() llm.Usage {
	used := s.spending.total()
	if s.place != nil && s.turn.whole && s.task == nil {
		used = atLeast(used, s.place.log.spending.total())
	}
	return used
}

// raise returns the usage of the turn of s, whose agent reports one: it counts at least that.
func (s *scope) raise(reported llm.Usage) llm.Usage {
	s.spending.mu.Lock()
	s.spending.usage = atLeast(s.spending.usage, reported)
	s.spending.mu.Unlock()
	return s.usage()
}

// atLeast returns the greater one of each count. What an agent reports may include models
// that the run does not know, or may be the usage of only one of the agents that it asked.
func atLeast(u, v llm.Usage) llm.Usage {
	return llm.Usage{
		InputTokens: max(u.InputTokens, v.InputTokens), OutputTokens: max(u.OutputTokens, v.OutputTokens),
		Calls: max(u.Calls, v.Calls), Cost: max(u.Cost, v.Cost),
		CachedTokens: max(u.CachedTokens, v.CachedTokens), CacheWriteTokens: max(u.CacheWriteTokens, v.CacheWriteTokens),
		ReasoningTokens: max(u.ReasoningTokens, v.ReasoningTokens),
	}
}

// A RunInfo describes the run and the turn that a context is part of.
type RunInfo struct {
	Turn      Turn           // the turn that is being answered; zero outside an agent
	Durable   bool           // the calls are recorded: see [Durable]
	Nested    bool           // the context is in a [Tool] with Nested, or in an intermediate [Task]
	Path      string         // where the context is, as in [Event]
	Call      string         // the id of the call of a tool around the context, as in [Event]
	Namespace string         // the namespace and the branches that contain the context; empty outside of them
	Language  string         // of the texts for the user: [Turn.Language], or that of the user's messages; "en" if unknown
	Calendar  dates.Calendar // of the turn, or of the turn that it is part of; zero if there is none
	Usage     llm.Usage      // what the models of the turn cost so far, or of the task: see [Answer] and [RunTask]

	place *place // nil outside a durable run
}

// Info returns a description of the run and the turn that ctx is part of.
func Info(ctx context.Context) RunInfo {
	sc := scopeOf(ctx)
	info := RunInfo{
		Path: sc.path, Call: sc.call, Nested: sc.nested, Language: sc.language(), Usage: sc.usage(), place: sc.place,
	}
	if sc.turn != nil {
		info.Turn = sc.turn.Turn
		if c := sc.turn.Calendar; c != nil {
			info.Calendar = *c
		}
	}
	p := sc.place
	if p == nil {
		return info
	}
	info.Durable = true
	switch {
	case p.scope != nil:
		info.Namespace = p.scope.address
	case p.besideOthers():
		info.Namespace = sc.path
	}
	return info
}

// NewID returns an identifier that no other call of NewID returns. In a durable
// run the same call returns the same one when the run is resumed.
func (i RunInfo) NewID() string {
	if i.place != nil {
		return i.place.child(":id").id("i")
	}
	return rand.Text()
}

// QuestionsAborted reports whether the user has ended open questions of the
// thread with [question.IntentAbort] after the state with which the turn begins
// was recorded. It is for the begin function of [NewAgent]: a planner then drops
// the plan of that state. An agent around the planner may have answered the
// abort, so that the planner itself did not get that message.
func (i RunInfo) QuestionsAborted() bool {
	if i.place == nil || i.place.stateRun == 0 {
		return false
	}
	rs := i.place.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	// Runs that cannot be read are treated as if they had aborted nothing.
	aborted, _ := rs.abortedBetween(i.place.stateRun, rs.run)
	return aborted
}

// AtMostOnceBegun reports whether an at-most-once call was begun in the
// namespace of the context ([WithNamespace]), in this turn or an earlier one of
// the thread. A call that interrupted the run before it did its work does not
// count. complete is false if older calls may have been removed from the thread
// ([DurableOptions].KeepRuns).
func (i RunInfo) AtMostOnceBegun() (begun, complete bool, err error) {
	p := i.place
	if p == nil {
		return false, true, nil
	}
	rs := p.log
	rs.mu.Lock()
	defer rs.mu.Unlock()
	open := map[string]bool{}
	r := store.Range{From: rs.floor + 1, Kinds: []store.Kind{store.Called, store.Returned}, Under: p.here()}
	err = rs.scan(r, func(rec store.Record) error {
		var returned returnedData
		switch {
		case rec.Kind == store.Called:
			open[rec.Address] = true
		case rec.Decode(&returned) == nil && returned.Stopped:
			delete(open, rec.Address)
		}
		return nil
	})
	return len(open) > 0, rs.opt.KeepRuns <= 0, err
}
