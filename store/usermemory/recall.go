package usermemory

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
)

// Turns returns the last n past turns of a user, the newest first. If n is 0 or less,
// it returns all.
func (m *Memory) Turns(ctx context.Context, user User, n int) ([]PastTurn, error) {
	turns, err := m.turns(ctx, user)
	if err != nil {
		return nil, err
	}
	slices.Reverse(turns)
	return chosenTurns(turns, n), nil
}

// Recall returns at most n past turns that are similar to a text, the most similar
// first. If n is 0 or less, it returns all that are similar. Of equally similar turns
// the newer comes first.
//
// With an Embedder, turns are compared with the text by the angle between their
// vectors. Turns without a comparable vector, because the Embedder failed or was
// another one, are compared by words, and both lists are interleaved by rank. A turn
// that has nothing in common with the text is not returned.
func (m *Memory) Recall(ctx context.Context, user User, text string, n int) ([]PastTurn, error) {
	turns, err := m.turns(ctx, user)
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	order, err := m.alike(ctx, prompt.Clip(text, maxPastText), turns)
	if err != nil {
		return nil, err
	}
	return chosenTurns(lists.Map(order, func(i int) userTurn { return turns[i] }), n), nil
}

func (m *Memory) turns(ctx context.Context, user User) ([]userTurn, error) {
	thread, err := m.thread(user)
	if err != nil {
		return nil, err
	}
	log, err := m.load(ctx, thread)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(log.turns, func(a, b userTurn) int { return a.Time.Compare(b.Time) })
	return log.turns, nil
}

// chosenTurns returns the first n turns, or all of them if n is 0 or less.
func chosenTurns(turns []userTurn, n int) []PastTurn {
	if n > 0 {
		turns = turns[:min(n, len(turns))]
	}
	return lists.Map(turns, func(t userTurn) PastTurn { return t.PastTurn })
}

// alike returns the indices of the turns that are similar to a text, the most similar
// first.
func (m *Memory) alike(ctx context.Context, text string, turns []userTurn) ([]int, error) {
	angles, err := m.angles(ctx, text, turns)
	if err != nil {
		return nil, err
	}
	var texts []string // of the turns without a comparable vector
	var at []int
	for i, angle := range angles {
		if angle == notCompared {
			texts, at = append(texts, turns[i].about()), append(at, i)
		}
	}
	byWords := textmatch.Ranked(textmatch.Alike(text, texts))
	for k, i := range byWords {
		byWords[k] = at[i]
	}
	return interleaved(textmatch.Ranked(angles), byWords), nil
}

// notCompared is the angle of a turn without a comparable vector.
const notCompared = -2

// angles compares a text with the vectors of turns. 1 is the same direction.
func (m *Memory) angles(ctx context.Context, text string, turns []userTurn) ([]float64, error) {
	angles := make([]float64, len(turns))
	for i := range angles {
		angles[i] = notCompared
	}
	if m.Embedder == nil || !slices.ContainsFunc(turns, func(t userTurn) bool { return len(t.Vector) > 0 }) {
		return angles, nil
	}
	vectors, err := vector.Embed(ctx, m.Embedder, []string{text}, 0)
	if done := ctx.Err(); err != nil && done != nil {
		return nil, done
	}
	if err != nil {
		emitEmbedderFailed(ctx, err)
		return angles, nil
	}
	asked := vector.Unit(vectors[0])
	for i, t := range turns {
		if t.Model != m.EmbedderModel || len(t.Vector) != 4*len(asked) {
			continue
		}
		if angle := vector.Dot(asked, vector.Decode(t.Vector)); !math.IsNaN(angle) && !math.IsInf(angle, 0) {
			angles[i] = angle
		}
	}
	return angles, nil
}

// embed adds the vector of a turn. If the Embedder fails, the turn has none.
func (m *Memory) embed(ctx context.Context, t *userTurn) error {
	text := t.about()
	if m.Embedder == nil || strings.TrimSpace(text) == "" {
		return nil
	}
	vectors, err := vector.Embed(ctx, m.Embedder, []string{text}, 0)
	if done := ctx.Err(); err != nil && done != nil {
		return done
	}
	if err != nil {
		emitEmbedderFailed(ctx, err)
		return nil
	}
	t.Vector, t.Model = vector.Encode(vector.Unit(vectors[0])), m.EmbedderModel
	return nil
}

// about returns the text by which a turn is found.
func (t *userTurn) about() string {
	var b strings.Builder
	b.WriteString(t.Rewritten)
	if t.Rewritten != t.Request {
		b.WriteString("\n" + t.Request)
	}
	for _, q := range t.Queries {
		b.WriteString("\n" + q.HowToRetrieve + "\n" + q.Summary)
	}
	b.WriteString("\n" + prompt.Clip(t.Answer, maxPastText/8))
	return prompt.Clip(b.String(), maxPastText)
}

// interleaved returns the first of a and of b, then the second of both, and so on.
func interleaved(a, b []int) []int {
	all := make([]int, 0, len(a)+len(b))
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			all = append(all, a[i])
		}
		if i < len(b) {
			all = append(all, b[i])
		}
	}
	return all
}

func emitEmbedderFailed(ctx context.Context, err error) {
	const message = "earlier turns are compared by their words only, because the embedder failed: "
	qed.Emit(ctx, qed.Warning{Code: "memory_incomplete", Message: message + prompt.Clip(err.Error(), 300)})
}
