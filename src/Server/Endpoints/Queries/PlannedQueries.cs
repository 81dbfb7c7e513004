using System.Diagnostics.Metrics;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Server.Endpoints.Queries;

/// <summary>
/// Remembers the plans of queries by the bytes of their bodies, from the second time that a body comes to a database. A plan follows from
/// the body alone: it holds neither the index that answers, which is chosen each time, nor anything of the database. So it is never out of
/// date. Each database has its own all the same: nobody is to learn what was asked of another one.
/// A plan that depends on the time or on chance is not remembered. Thread-safe.
/// </summary>
internal sealed class PlannedQueries : IDisposable
{
    /// <summary>Plans that are remembered.</summary>
    public const int MaxPlans = 1_000;

    /// <summary>Bytes of their bodies together. A plan takes up to a hundred times the memory of its body.</summary>
    public const int MaxBytes = 128 << 10;

    /// <summary>A longer body is mostly a list of values, which does not come again.</summary>
    public const int MaxBodyBytes = 1 << 10;

    private readonly SecondTimeCache<(Guid Database, long Hash), Planned> _byHash = new(MaxPlans, MaxBytes);
    private readonly Meter _meter = new("Jackdaw.Queries");
    private long _hits;
    private long _misses;

    public PlannedQueries()
    {
        _meter.CreateObservableCounter(
            "jackdaw.queries.plans",
            () =>
                new[]
                {
                    new Measurement<long>(Hits, new KeyValuePair<string, object?>("result", "hit")),
                    new Measurement<long>(Misses, new KeyValuePair<string, object?>("result", "miss")),
                },
            "{query}",
            "Queries whose plan was remembered (hit), or was made for them (miss)."
        );
    }

    /// <summary>Queries whose plan was remembered.</summary>
    public long Hits => Interlocked.Read(ref _hits);

    /// <summary>Queries whose plan was made for them.</summary>
    public long Misses => Interlocked.Read(ref _misses);

    /// <summary>How many are remembered.</summary>
    public int Count => _byHash.Count;

    /// <summary>Returns the plan of a body, its page included.</summary>
    /// <param name="database">The id of the database that is asked.</param>
    /// <param name="utf8">The body of a query.</param>
    /// <param name="clock">Tells the moment of <c>now()</c> and <c>today()</c>.</param>
    /// <exception cref="Jackdaw.Server.Http.BadRequestException">It is not of the form of a query.</exception>
    /// <exception cref="Jackdaw.Indexing.QueryException">Its text or its parameters cannot be planned.</exception>
    public (QueryBody Body, QueryPlan Plan, bool WasRemembered) Get(Guid database, ReadOnlyMemory<byte> utf8, TimeProvider clock)
    {
        long hash = QueryBody.HashOf(utf8.Span);
        bool isAskedAgain = false;
        // Of two bodies with one hash the first is remembered.
        if (
            utf8.Length <= MaxBodyBytes
            && _byHash.TryGet((database, hash), out var known, out isAskedAgain)
            && known!.Bytes.AsSpan().SequenceEqual(utf8.Span)
        )
        {
            Interlocked.Increment(ref _hits);
            return (known.Body, known.Plan, true);
        }
        Interlocked.Increment(ref _misses);
        var body = QueryBody.Parse(utf8, hash);
        var plan = body.Page(QueryPlanner.Plan(body.Query, body.Parameters, clock));
        if (isAskedAgain && plan is { DependsOnTime: false, Index: not { IsRandom: true } })
            _byHash.Add((database, hash), new Planned(utf8.ToArray(), body with { Parameters = RqlParameters.None }, plan), utf8.Length);
        return (body, plan, false);
    }

    public void Dispose() => _meter.Dispose();

    /// <param name="Bytes">The body as it came.</param>
    /// <param name="Body">What it says, without its parameters, which are in the plan.</param>
    /// <param name="Plan">What is answered.</param>
    private sealed record Planned(byte[] Bytes, QueryBody Body, QueryPlan Plan);
}
