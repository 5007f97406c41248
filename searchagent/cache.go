package searchagent

import (
	"container/list"
	"sync"
	"time"
)

// lookups remembers the documents that lookups found, the last used ones.
type lookups struct {
	limit int
	ttl   time.Duration

	mu    sync.Mutex
	known map[lookupKey]*list.Element // of lookupEntry
	order list.List                   // the last used first
}

// lookupKey is the search as it ran, with the filter that was put into it, and for
// whom.
type lookupKey struct{ owner, index, body string }

type lookupEntry struct {
	key   lookupKey
	doc   document
	until time.Time
}

func newLookups(limit int, ttl time.Duration) *lookups {
	return &lookups{limit: limit, ttl: ttl, known: map[lookupKey]*list.Element{}}
}

func (l *lookups) get(key lookupKey) (document, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.known[key]
	if found == nil {
		return document{}, false
	}
	entry := found.Value.(lookupEntry)
	if time.Now().After(entry.until) {
		l.remove(found)
		return document{}, false
	}
	l.order.MoveToFront(found)
	return entry.doc, true
}

func (l *lookups) put(key lookupKey, doc document) {
	if l.limit == 0 || len(key.body)+len(doc.Source) > maxLookup {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := l.known[key]; found != nil {
		l.remove(found)
	}
	l.known[key] = l.order.PushFront(lookupEntry{key, doc, time.Now().Add(l.ttl)})
	for l.order.Len() > l.limit {
		l.remove(l.order.Back())
	}
}

func (l *lookups) remove(e *list.Element) {
	l.order.Remove(e)
	delete(l.known, e.Value.(lookupEntry).key)
}

// maxLookup bounds one entry, in bytes.
const maxLookup = 64 << 10
