package estest

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
)

// ErrNotRecorded is matched by the error of a request that a recording does not
// have. The error is an [*esquery.EngineError], which esclient returns without
// another attempt.
var ErrNotRecorded = errors.New("estest: the request was not recorded")

// Replay returns a transport that answers from a recording and sends nothing. A
// request that was recorded several times gets the recorded responses in order, and
// then the last one again. The transport is safe for concurrent use.
func Replay(recording io.Reader) (http.RoundTripper, error) {
	all, err := read(recording)
	if err != nil {
		return nil, err
	}
	p := &player{all: all, answers: make(map[string][]*exchange)}
	for _, x := range all {
		p.answers[x.key()] = append(p.answers[x.key()], x)
	}
	return p, nil
}

type player struct {
	all []*exchange

	mu      sync.Mutex
	answers map[string][]*exchange // by request, those that were not returned yet
}

// RoundTrip answers req from the recording.
func (p *player) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	sent, err := request(req.Clone(req.Context()))
	if err != nil {
		return nil, err
	}
	found := p.next(sent.key())
	if found == nil {
		return nil, p.notRecorded(sent)
	}
	body := found.Text
	if found.Response != nil {
		body = string(found.Response)
	}
	header := make(http.Header)
	for name, value := range found.Header {
		header.Set(name, value)
	}
	return &http.Response{
		Status:        http.StatusText(found.Status),
		StatusCode:    found.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)),
		Request:       req,
	}, nil
}

func (p *player) next(key string) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.answers[key]
	if len(left) == 0 {
		return nil
	}
	if len(left) > 1 {
		p.answers[key] = left[1:]
	}
	return left[0]
}

// notRecorded returns an error that shows the request, and a recorded one.
func (p *player) notRecorded(sent *exchange) error {
	why := "the recording is empty"
	if len(p.all) > 0 {
		at := max(0, slices.IndexFunc(p.all, func(x *exchange) bool { return x.name() == sent.name() }))
		why = "the recording has " + p.all[at].name() + prompt.Clip(" "+string(p.all[at].Body), maxShown)
	}
	return &esquery.EngineError{
		Kind: esquery.ErrProtocol, Err: ErrNotRecorded,
		Reason: "the request was not recorded: " + sent.name() + prompt.Clip(" "+string(sent.Body), maxShown) + ": " + why,
	}
}

const maxShown = 300 // bytes of a body
