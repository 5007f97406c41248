// Package pgindex keeps the chunks of a rag.Index in PostgreSQL with the
// extension pgvector:
//
//	pool, err := pgxpool.New(ctx, url)
//	...
//	backend, err := pgindex.Open(ctx, pool, "manual_chunks")
//	...
//	index, err := rag.NewIndex(backend, &rag.IndexOptions{Embedder: embedder})
//
// Searches by vectors compare all rows, so their hits are the exact best ones. For
// millions of chunks add an index of pgvector on embedding::vector(n). Scores of
// words are BM25, with the same parameters as [rag.Memory].
package pgindex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgvector/pgvector-go"

	"github.com/qedkit/qed/rag"
)

// A Backend is a [rag.Backend] in one table. Many processes can use one table.
type Backend struct {
	pool  *pgxpool.Pool
	table string // quoted
}

// Open returns the chunks in a table, which it creates if it is missing. The name
// may have a schema, as in "docs.chunks". The account needs the right to create the
// table, and the extension "vector" if the database does not have it.
func Open(ctx context.Context, pool *pgxpool.Pool, table string) (*Backend, error) {
	if pool == nil || table == "" {
		return nil, errors.New("pgindex: Open needs a pool and the name of a table")
	}
	name := pgx.Identifier(strings.Split(table, "."))
	b := &Backend{pool, name.Sanitize()}
	prefix := name[len(name)-1]
	_, err := pool.Exec(ctx, fmt.Sprintf(`
		SELECT pg_advisory_xact_lock(hashtext('qed.pgindex'));
		CREATE EXTENSION IF NOT EXISTS vector;
		CREATE TABLE IF NOT EXISTS %[1]s (
			document  text COLLATE "C" NOT NULL,
			number    int NOT NULL,
			chunk     json NOT NULL,
			metadata  jsonb NOT NULL,
			words     text[] COLLATE "C" NOT NULL,
			counts    int[] NOT NULL,
			length    int NOT NULL,
			embedding vector,
			PRIMARY KEY (document, number)
		);
		CREATE INDEX IF NOT EXISTS %[2]s ON %[1]s USING gin (words);`,
		b.table, pgx.Identifier{prefix + "_words"}.Sanitize()))
	if err != nil {
		return nil, fmt.Errorf("pgindex: %s: %w", table, err)
	}
	return b, nil
}

// Dimensions implements [rag.Backend].
func (b *Backend) Dimensions(ctx context.Context) (int, error) {
	return b.dimensions(ctx, b.pool, "")
}

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// dimensions returns the dimensions of the vectors of other documents.
func (b *Backend) dimensions(ctx context.Context, q querier, document string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT coalesce(vector_dims(embedding), 0) FROM "+b.table+" WHERE document <> $1 LIMIT 1", document).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return n, wrap(err)
}

// Replace implements [rag.Backend]. It is one transaction.
func (b *Backend) Replace(ctx context.Context, document string, entries []rag.Entry) error {
	rows := make([][]any, len(entries))
	for i, e := range entries {
		row, err := rowOf(e)
		if err != nil {
			return err
		}
		rows[i] = row
	}
	return wrap(pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
		// Writers take turns, so that all vectors have one length.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", b.table); err != nil {
			return err
		}
		var others bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+b.table+" WHERE document <> $1)", document).Scan(&others); err != nil {
			return err
		}
		if others {
			has, err := b.dimensions(ctx, tx, document)
			if err != nil {
				return err
			}
			if n := len(entries[0].Vector); n != has {
				return fmt.Errorf("%w: a vector has %d, the table has %d", rag.ErrDimensions, n, has)
			}
		}
		if _, err := tx.Exec(ctx, "DELETE FROM "+b.table+" WHERE document = $1", document); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		for _, row := range rows {
			batch.Queue("INSERT INTO "+b.table+" VALUES ($1, $2, $3, $4, $5, $6, $7, $8)", row...)
		}
		return tx.SendBatch(ctx, batch).Close()
	}))
}

func rowOf(e rag.Entry) ([]any, error) {
	chunk, err := json.Marshal(e.Chunk)
	if err != nil {
		return nil, wrap(err)
	}
	metadata, err := json.Marshal(e.Chunk.Metadata)
	if err != nil {
		return nil, wrap(err)
	}
	if e.Chunk.Metadata == nil {
		metadata = []byte("{}")
	}
	words := []string{}
	counts := []int32{}
	terms := slices.Sorted(slices.Values(e.Terms))
	for i, t := range terms {
		if i == 0 || t != terms[i-1] {
			words, counts = append(words, t), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	var embedding any
	if e.Vector != nil {
		embedding = pgvector.NewVector(e.Vector)
	}
	return []any{e.Chunk.Document, e.Chunk.Number, string(chunk), string(metadata), words, counts, len(e.Terms), embedding}, nil
}

// Delete implements [rag.Backend].
func (b *Backend) Delete(ctx context.Context, documents []string) error {
	_, err := b.pool.Exec(ctx, "DELETE FROM "+b.table+" WHERE document = ANY($1)", documents)
	return wrap(err)
}

// where returns the condition of a filter, whose arguments are $2 and $3.
const where = `($2::text[] IS NULL OR document = ANY($2)) AND NOT EXISTS (
	SELECT FROM jsonb_each($3::jsonb) AS f WHERE metadata->>f.key IS NULL OR NOT f.value ? (metadata->>f.key))`

func filterArguments(f rag.Filter) (documents []string, metadata string, err error) {
	raw, err := json.Marshal(f.Metadata)
	if f.Metadata == nil {
		raw = []byte("{}")
	}
	return f.Documents, string(raw), wrap(err)
}

// Nearest implements [rag.Backend].
func (b *Backend) Nearest(ctx context.Context, vector []float32, k int, f rag.Filter) ([]rag.Hit, error) {
	documents, metadata, err := filterArguments(f)
	if err != nil {
		return nil, err
	}
	return b.hits(ctx, `SELECT chunk, score FROM (
			SELECT chunk, document, number, 1 - (embedding <=> $1::vector) AS score FROM `+b.table+`
			WHERE embedding IS NOT NULL AND `+where+`
		) AS t WHERE score > 0 ORDER BY score DESC, document, number LIMIT $4`,
		pgvector.NewVector(vector), documents, metadata, k)
}

// Matching implements [rag.Backend].
func (b *Backend) Matching(ctx context.Context, terms []string, k int, f rag.Filter) ([]rag.Hit, error) {
	documents, metadata, err := filterArguments(f)
	if err != nil {
		return nil, err
	}
	return b.hits(ctx, `
		WITH size AS (
			SELECT count(*)::float8 AS n, greatest(1, avg(length))::float8 AS average FROM `+b.table+`
		), matched AS (
			SELECT t.document, t.number, t.length, w.word, w.count
			FROM `+b.table+` AS t, unnest(t.words, t.counts) AS w(word, count)
			WHERE t.words && $1::text[] AND w.word = ANY($1)
		), rarity AS (
			SELECT word, ln(1 + (n - count(*) + 0.5) / (count(*) + 0.5)) AS idf FROM matched, size GROUP BY word, n
		), scored AS (
			SELECT document, number, sum(idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / average))) AS score
			FROM matched JOIN rarity USING (word), size GROUP BY document, number
		)
		SELECT chunk, score FROM scored JOIN `+b.table+` USING (document, number)
		WHERE `+where+` ORDER BY score DESC, document, number LIMIT $4`, terms, documents, metadata, k)
}

func (b *Backend) hits(ctx context.Context, sql string, args ...any) ([]rag.Hit, error) {
	rows, err := b.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, wrap(err)
	}
	hits, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h rag.Hit, err error) {
		var chunk []byte
		if err = row.Scan(&chunk, &h.Score); err == nil {
			err = json.Unmarshal(chunk, &h.Chunk)
		}
		return h, err
	})
	return hits, wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pgindex: %w", err)
}
