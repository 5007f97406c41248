package toolagent

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/llm"
)

// A run is a turn that is being answered.
type run struct {
	*agent
	ctx  context.Context // of the turn, with its limits
	work context.Context // of the steps

	durable  bool
	question string
	language figures.Language // of the values of the answer
	dates    dates.Facts
	messages []llm.Message // the instructions, the conversation, the question, and the steps
	before   int           // how many messages are before the question
	tokens   int           // of messages and tools
	added    llm.Request   // has the message whose tokens are counted

	steps   int
	repairs int // in a row

	results   []*result           // of all calls, oldest first
	tables    []figures.Table     // of the results
	queries   int                 // how many queries the results have
	latest    []*result           // that later calls may refer to
	rows      map[string]*rowsRef // by handle
	newest    int                 // the first result of the newest step
	compacted int                 // results before it are replaced by their digests
}

type ending struct {
	answer figures.Result // its text is empty if it is not written yet
	reason string         // why the answer is partial; empty if it is not
	cause  error          // set if no request can be made; nil otherwise
}

func (a *agent) begin(
	ctx context.Context, question string, history []llm.Message,
) (*run, context.CancelFunc, error) {
	facts, err := qed.Dates(ctx, question)
	if err != nil {
		return nil, nil, err
	}
	r := &run{agent: a, durable: qed.Info(ctx).Durable, question: question, dates: facts}
	r.language = answertext.Language(ctx, question)
	data := instructionsData{Instructions: a.opt.Instructions, Language: answertext.Tag(ctx), Dates: facts}
	system, err := a.model.Render("instructions", a.prompts["instructions"], data)
	if err != nil {
		return nil, nil, err
	}
	r.messages = make([]llm.Message, 1, 24)
	r.messages[0] = llm.Message{Role: llm.RoleSystem, Content: system}
	if len(history) > 0 {
		r.messages = append(r.messages, a.memory.Select(history)...)
	}
	r.before = len(r.messages)
	r.messages = append(r.messages, llm.Message{Role: llm.RoleUser, Content: question})
	r.tokens = llm.EstimateTokens(&llm.Request{Messages: r.messages, Tools: a.specs})
	r.ctx = budget.With(ctx, a.opt.Limits)
	var cancel context.CancelFunc
	r.work, cancel = budget.WithDeadline(budget.BeforeFinalAnswer(r.ctx))
	return r, cancel, nil
}

// loop takes steps until one of them ends the loop, and returns the answer.
func (r *run) loop() (qed.Answer, error) {
	for {
		r.steps++
		end, err := r.step(qed.WithPath(r.work, "step_"+strconv.Itoa(r.steps)))
		if err != nil {
			if end, err = r.failed(err); err != nil {
				return qed.Answer{}, err
			}
		}
		if end != nil {
			return r.finish(end)
		}
	}
}

// step asks the model once and makes the calls of its reply. It returns how the loop
// ends, or nil if it continues.
func (r *run) step(ctx context.Context) (end *ending, err error) {
	if r.tokens > r.model.Room() {
		r.compact()
	}
	choice, err := r.choice(ctx)
	if err != nil {
		return nil, err
	}
	req := r.model.Send("step", r.messages...)
	req.Tools, req.ToolChoice = r.specs, choice
	draft := &draft{r: r}
	defer func() {
		if err != nil || end == nil || end.answer.Text == "" {
			draft.discard()
		}
	}()
	resp, err := r.model.Model.Generate(ctx, req, draft.read)
	if err != nil {
		return r.unusable(ctx, err, draft)
	}
	calls := resp.Message.ToolCalls
	switch problem := firstText(malformed(calls), misses(choice, calls)); {
	case problem != "":
		return r.repair(resp.Message.Content, problem)
	case len(calls) == 0 && firstText(resp.Message.Content) == "":
		return r.repair("", "it is empty")
	case len(calls) == 0:
		answer, err := r.answerOf(ctx, draft, resp.Message.Content)
		return &ending{answer: answer}, err
	}
	r.repairs = 0
	draft.discard()
	err = r.call(ctx, resp.Message)
	if r.opt.AfterStep != nil {
		if failed := r.opt.AfterStep(ctx, r.progress()); failed != nil {
			return nil, fmt.Errorf("toolagent: AfterStep: %w", failed)
		}
	}
	if err != nil {
		return nil, err
	}
	return r.stopped(), nil
}

// choice calls the hook before a step, and returns whether the model must call a tool.
func (r *run) choice(ctx context.Context) (llm.ToolChoice, error) {
	if r.opt.BeforeStep == nil {
		return llm.ToolChoiceAuto, nil
	}
	req := StepRequest{Progress: r.progress()}
	req.Steps-- // this step is not done
	if err := r.opt.BeforeStep(ctx, &req); err != nil {
		return "", fmt.Errorf("toolagent: BeforeStep: %w", err)
	}
	return req.ToolChoice, nil
}

// add appends a message to the conversation with the model.
func (r *run) add(m llm.Message) {
	r.messages = append(r.messages, m)
	r.added.Messages = r.messages[len(r.messages)-1:]
	r.tokens += llm.EstimateTokens(&r.added)
}

// stopped returns how the loop ends after the last step, or nil if there may be more.
func (r *run) stopped() *ending {
	if r.steps < r.opt.MaxSteps {
		return nil
	}
	return &ending{reason: r.texts(r.ctx).stepsReason(r.steps)}
}

// progress returns what the hooks see of the turn.
func (r *run) progress() Progress {
	p := Progress{Steps: r.steps, Usage: qed.Info(r.ctx).Usage}
	for _, made := range r.results {
		p.Results = append(p.Results, made.ToolResult)
	}
	return p
}

// unusable returns how the loop continues after a failed request.
func (r *run) unusable(ctx context.Context, err error, draft *draft) (*ending, error) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return nil, err
	}
	text := ""
	if e.Partial != nil {
		text = e.Partial.Message.Content
	}
	switch e.Kind {
	case llm.ErrRefusal:
		return &ending{answer: draft.close(ctx, text), reason: r.texts(r.ctx).Declined, cause: err}, nil
	case llm.ErrInvalidOutput, llm.ErrTruncated:
		return r.repair(text, e.Message)
	}
	return nil, err
}

const maxRepairs = 2 // replies in a row that cannot be used and go back to the model

// repair sends a reply back to the model with the problem in it.
func (r *run) repair(text, problem string) (*ending, error) {
	if r.repairs++; r.repairs > maxRepairs {
		return &ending{reason: r.texts(r.ctx).NoReply}, nil
	}
	if firstText(text) != "" {
		r.add(llm.Message{Role: llm.RoleAssistant, Content: text})
	}
	r.add(llm.Message{Role: llm.RoleUser, Content: repairText(problem)})
	return r.stopped(), nil
}

// failed returns how the loop ends after an error, or the error if the turn ends
// with it.
func (r *run) failed(err error) (*ending, error) {
	switch {
	case r.ctx.Err() != nil, errors.Is(err, qed.ErrToolAbandoned):
		return nil, err
	case errors.Is(err, budget.ErrExceeded):
		return &ending{reason: r.texts(r.ctx).budgetReason(err)}, nil
	}
	if _, ok := errors.AsType[*llm.Error](err); ok && r.foundSomething() {
		return &ending{reason: r.texts(r.ctx).BrokeOff, cause: err}, nil
	}
	return nil, err
}
