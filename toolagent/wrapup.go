package toolagent

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/replytext"
	"github.com/qedkit/qed/llm"
)

// wrapUp asks for an answer from what was found, without tools. It returns the
// answer, which is empty if the request fails after something was found, and why it
// is partial.
func (r *run) wrapUp(reason string) (said figures.Result, why string, err error) {
	ctx := qed.WithPath(budget.ForFinalAnswer(r.ctx), "wrap_up")
	req, err := r.wrapUpRequest(ctx, reason)
	if err != nil {
		return said, "", err
	}
	// A resumed run may end in another step. Its request is then another call.
	hash, err := req.Hash()
	if err != nil {
		return said, "", err
	}
	ctx = qed.WithPath(ctx, hash[:12])
	said, err = answertext.Text(ctx, r.model, req, r.source(), answertext.Stream(r.ctx, qed.ChannelFinal))
	switch {
	case replytext.HasCall(said.Text, r.tools.Names()): // the request has no tools
		qed.Emit(r.ctx, qed.Token{Channel: qed.ChannelFinal, Discard: true})
		said = figures.Result{}
	case firstText(said.Text) == "":
		said = figures.Result{}
	}
	switch {
	case err == nil:
		return said, reason, nil
	case r.ctx.Err() != nil:
		return figures.Result{}, "", err
	case modelcall.Unusable(err) || said.Text != "" && isModelError(err):
		return said, firstText(reason, r.texts(r.ctx).CutOff), nil
	case isModelError(err) && r.foundSomething():
		return figures.Result{}, firstText(reason, r.texts(r.ctx).BrokeOff), nil
	}
	return figures.Result{}, "", err
}

// isModelError reports whether err is that of a model or of a budget, after which an
// answer of what was found is still right.
func isModelError(err error) bool {
	_, failed := errors.AsType[*llm.Error](err)
	return failed || errors.Is(err, budget.ErrExceeded)
}

// wrapUpRequest returns the request of wrapUp. If the budget has few tokens left, the
// findings and the reply are short.
func (r *run) wrapUpRequest(ctx context.Context, reason string) (*llm.Request, error) {
	// What is left differs when a run is resumed, and the request must not.
	left, err := qed.Step(ctx, "size_"+strconv.Itoa(r.steps), nil, func(ctx context.Context) (int, error) {
		rest, _ := budget.Remaining(ctx)
		return rest.Tokens, nil
	})
	if err != nil {
		return nil, err
	}
	data := wrapUpData{
		Instructions: r.opt.Instructions, Language: answertext.Tag(ctx), Dates: r.dates, Question: r.question, Reason: reason,
	}
	room := r.model.Room()
	if left > 0 {
		room = min(room, left*2/3)
	}
	for most := r.opt.MaxResultBytes * 2; ; most /= 2 {
		data.Findings = nil
		for _, one := range r.results {
			if one.same == nil {
				data.Findings = append(data.Findings, one.forPrompt(prompt.Clip(one.content, most)+one.remark))
			}
		}
		text, err := r.model.Render("wrap_up", r.prompts["wrap_up"], data)
		if err != nil {
			return nil, err
		}
		messages := append(slices.Clone(r.messages[1:r.before]), llm.Message{Role: llm.RoleUser, Content: text})
		req := r.model.Send("wrap_up", messages...)
		sent := llm.EstimateTokens(req)
		if sent > room && most > minFinding {
			continue
		}
		if left > 0 && req.MaxOutputTokens > left-sent {
			req.MaxOutputTokens = max(minReply, left-sent)
		}
		return req, nil
	}
}

const (
	minFinding = 64 // bytes of a result in the last prompt
	minReply   = 64 // tokens
)
