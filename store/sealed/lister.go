package sealed

import (
	"context"
	"iter"

	"github.com/qedkit/qed/store"
)

// A sealedLister is a sealed store over one that lists its threads.
type sealedLister struct {
	*sealedStore
	lister store.Lister
}

// Threads implements [store.Lister].
func (s *sealedLister) Threads(ctx context.Context, f store.ThreadFilter) iter.Seq2[store.ThreadInfo, error] {
	return func(yield func(store.ThreadInfo, error) bool) {
		o := opener{keys: s.keys}
		for info, err := range s.lister.Threads(ctx, f) {
			if err == nil {
				info.Title = s.openTitle(ctx, &o, &info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// sealTitle returns a header with a sealed title. An empty title stays empty.
func (k *key) sealTitle(thread string, h *store.Header) (*store.Header, error) {
	if h == nil || h.Title == "" {
		return h, nil
	}
	title, err := k.seal([]byte(h.Title), titleBinding(thread, h))
	if err != nil {
		return nil, err
	}
	own := *h
	own.Title = string(title)
	return &own, nil
}

// openTitle returns the title of a thread, or "" if it cannot be opened.
func (s *sealedLister) openTitle(ctx context.Context, o *opener, info *store.ThreadInfo) string {
	id, text, ok := parse([]byte(info.Title))
	if !ok {
		return ""
	}
	title, err := o.open(ctx, string(id), text, titleBinding(info.Thread, &info.Header))
	if err != nil {
		return ""
	}
	return string(title)
}
