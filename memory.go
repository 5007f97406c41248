package qed

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
)

// A Memory selects the part of a conversation that a model receives. Nil and
// the zero value mean the last 20 messages, as far as they fit into 16,000
// tokens.
//
// The stored conversation is not changed: a Memory selects, cuts and summarises
// for the model only. It works on one thread at a time. It is safe for
// concurrent use as long as it is not changed.
//
// # Without a Summarizer
//
// If the messages do not fit, the oldest exchanges are left out. An exchange is
// a message of the user and all that answers it, so the selection begins with a
// message of the user, if there is one. Of the first exchange that does not
// fit, the longest messages are cut, with a mark, if a quarter of the budget is
// left for it. The newest exchange has the whole budget, so it is always
// included.
//
// # With a Summarizer
//
// The last messages are included in full, as above. The 40 messages before them
// are included as summaries, one for ten messages, or for Messages if these are
// fewer. All older messages are in one running summary. A summary has at most 500
// tokens. Summaries are recorded in the thread, so they survive a restart.
//
// A summary of a few messages is made once, when they are complete. Later it is
// merged into the running summary. So a conversation of 500 messages needs at most
// 100 calls of the Summarizer.
//
// One turn makes at most four calls, each for at most 30 seconds. If more are due, because a long
// conversation gets its first summaries, later turns make them, with larger
// pieces. Until then the messages that are not summarised are left out. A call
// that fails does not fail the turn: the selection has the newest messages and
// the existing summaries, a [Warning] is emitted, and the next turn
// tries again.
//
// The model receives the summaries as quoted data, in a message of the user
// that says so.
type Memory struct {
	// Messages is how many of the last messages are included in full. 0 means
	// 20, or 10 with a Summarizer. With a Summarizer, the messages that wait
	// for their summary are included too, usually fewer than ten. A negative
	// number means that nothing is included.
	Messages int

	// Tokens limits the selection, and the messages that are summarised at
	// once. 0 or less means 16,000.
	Tokens int

	// Summarizer is the model that summarises. Nil means no summaries. Its
	// requests have the name "summarise" ([llm.Request].Name), and are charged
	// to the budget of the turn.
	Summarizer llm.Model
}

const (
	maxMiddle      = 40 // messages before those that are included in full that have summaries of their own
	maxBatch       = 10 // messages that are summarised at once; a few more if messages were not answered
	summaryTokens  = 500
	summaryTimeout = 30 * time.Second
)

// batch is how many messages are summarised at once.
func (m *Memory) batch() int { return min(m.Messages, maxBatch) }

// A threadLog is the part of a thread that a [Memory] reads and writes.
type threadLog interface {
	// messages returns the last messages with a number of at least from, oldest
	// first. newest limits their number; 0 means all.
	messages(ctx context.Context, from int64, newest int) ([]numbered, error)

	// summary returns the last summary and the number of the last message in
	// it, or "" and 0.
	summary(ctx context.Context) (text string, through int64, err error)

	// summarise appends a summary.
	summarise(ctx context.Context, text string, through int64) error
}

// A numbered message has the number of its record.
type numbered struct {
	seq     int64
	message llm.Message
}

// recall returns the selection of a thread. With summarise it makes the
// summaries that are due: a run does that when it begins and not when it is
// resumed, as other summaries would change every prompt of the run. The error
// is the log's, or ctx is done.
func (m *Memory) recall(ctx context.Context, log threadLog, summarise bool) ([]llm.Message, error) {
	s := m.withDefaults()
	switch {
	case s.Messages < 0:
		return nil, nil
	case s.Summarizer != nil:
		return s.recallTiers(ctx, log, summarise)
	}
	said, err := log.messages(ctx, 0, s.Messages)
	if err != nil {
		return nil, err
	}
	return s.fit(plain(said), s.Tokens), nil
}

// withDefaults returns m with the defaults of fields that are not set.
func (m *Memory) withDefaults() Memory {
	s := option.Of(m)
	if s.Messages == 0 {
		s.Messages = 20
		if s.Summarizer != nil {
			s.Messages = 10
		}
	}
	s.Tokens = cmp.Or(max(s.Tokens, 0), 16_000)
	return s
}

// plain returns the messages that a model may receive. It leaves out system
// messages: the program's instructions are not part of a conversation, so a
// system message in one is an attack.
func plain(said []numbered) []llm.Message {
	messages := make([]llm.Message, 0, len(said))
	for _, n := range said {
		switch n.message.Role {
		case llm.RoleUser, llm.RoleAssistant, llm.RoleTool:
			messages = append(messages, n.message)
		}
	}
	return messages
}

// Select returns the messages of a conversation that have text, for a call
// without tools, as far as they fit into Tokens. Images and files become a note:
// see [llm.Message.Text].
func (m *Memory) Select(history []llm.Message) []llm.Message {
	said := make([]llm.Message, 0, len(history))
	for _, message := range history {
		text := message.Text()
		if message.Role == llm.RoleUser || message.Role == llm.RoleAssistant && text != "" {
			said = append(said, llm.Message{Role: message.Role, Content: text})
		}
	}
	all := m.withDefaults()
	return all.fit(said, all.Tokens)
}

// fit returns the newest of messages that fit into a budget.
func (m *Memory) fit(messages []llm.Message, budget int) []llm.Message {
	for len(messages) > 0 && messages[0].Role == llm.RoleTool {
		messages = messages[1:] // the message with the call is not included
	}
	var selected [][]llm.Message // newest first
	left := budget
	for end := len(messages); end > 0; {
		start := lastExchange(messages[:end])
		if !begins(messages[start]) && len(selected) > 0 {
			break
		}
		exchange := messages[start:end]
		end = start
		if need := lists.Sum(exchange, tokensOf); need <= left {
			left -= need
			selected = append(selected, exchange)
			continue
		}
		if left >= budget/4 {
			if exchange, ok := m.cut(exchange, left); ok {
				selected = append(selected, exchange)
			}
		}
		break
	}
	slices.Reverse(selected)
	return slices.Concat(selected...)
}

// lastExchange returns the index at which the last exchange begins: that of the
// last message of the user, or 0.
func lastExchange(messages []llm.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if begins(messages[i]) {
			return i
		}
	}
	return 0
}

func begins(m llm.Message) bool { return m.Role == llm.RoleUser }

// tokensOf returns about how many tokens a message has.
func tokensOf(message llm.Message) int {
	return llm.EstimateTokens(&llm.Request{Messages: []llm.Message{message}})
}

// cut returns messages whose longest texts are cut to the same length, so that
// all fit into a budget. It reports false if they do not fit without any text.
func (m *Memory) cut(messages []llm.Message, budget int) ([]llm.Message, bool) {
	needs := make([]int, len(messages))
	for i := range messages {
		needs[i] = tokensOf(messages[i])
	}
	most := level(needs, budget)
	short := slices.Clone(messages)
	for i := range short {
		if needs[i] > most {
			var ok bool
			if short[i].Content, ok = m.shorten(short[i], most); !ok {
				return nil, false
			}
		}
	}
	return short, true
}

// level returns the limit for each of needs with which their sum is at most
// budget.
func level(needs []int, budget int) int {
	sorted := slices.Sorted(slices.Values(needs))
	for i, need := range sorted {
		share := budget / (len(sorted) - i)
		if need > share {
			return share
		}
		budget -= need
	}
	return sorted[len(sorted)-1]
}

// bytesPerToken is more than any tokenizer has for ordinary text: longer texts
// need not be tried.
const bytesPerToken = 32

// shorten returns the beginning of a message's text, with a mark, so that the
// message has at most so many tokens. It reports false if the mark alone does
// not fit.
func (m *Memory) shorten(message llm.Message, tokens int) (string, bool) {
	text := message.Content
	marked := func(n int) string {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		return text[:n] + "\n[cut: " + strconv.Itoa(len(text)-n) + " bytes more]"
	}
	fits := func(n int) bool {
		message.Content = marked(n)
		return tokensOf(message) <= tokens
	}
	if len(text) == 0 || !fits(0) {
		return "", false
	}
	low, high := 0, min(len(text)-1, max(tokens, 0)*bytesPerToken) // low fits
	for low < high {
		middle := low + (high-low+1)/2
		if fits(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return marked(low), true
}
