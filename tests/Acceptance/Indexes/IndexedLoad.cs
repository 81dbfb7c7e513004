using System.Collections.Concurrent;
using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>
/// Writers and queries at work on one database until its server dies. An answer that says that it is not stale must be right about each
/// document whose state was acknowledged before the query was sent and that nobody wrote until the answer came.
/// </summary>
internal sealed class IndexedLoad(IReadOnlyList<IndexedSlot> slots, string database)
{
    private readonly ConcurrentQueue<string> _failures = new();
    private int _writes;
    private int _freshAnswers;
    private int _staleAnswers;

    /// <summary>What went wrong, the first first.</summary>
    public IReadOnlyCollection<string> Failures => _failures;

    public int Writes => Volatile.Read(ref _writes);

    public int FreshAnswers => Volatile.Read(ref _freshAnswers);

    public int StaleAnswers => Volatile.Read(ref _staleAnswers);

    /// <summary>Runs until the server is gone.</summary>
    public async Task RunAsync(string url, int writers, int queries, int seed)
    {
        using var client = new HttpClient { Timeout = Tests.Eventually.Patience };
        await Task.WhenAll([
            .. Enumerable.Range(0, writers).Select(i => UntilDeathAsync(random => WriteAsync(client, url, random, i, writers), seed + i)),
            .. Enumerable.Range(0, queries).Select(i => UntilDeathAsync(random => AskAsync(client, url, random), seed + 1000 + i)),
        ]);
    }

    /// <summary>Returns what is wrong with an answer, about documents that were certain all the while; null: nothing.</summary>
    public static string? ProblemOf(
        IndexedQuery query,
        IndexedAnswer answer,
        IEnumerable<(IndexedSlot Slot, (bool IsCertain, int Version, IndexedDocument? State) Before)> looks
    )
    {
        if (answer.IsStale)
            return null;
        var found = answer.Ids.ToLookup(id => id, StringComparer.OrdinalIgnoreCase);
        foreach (var (slot, before) in looks)
        {
            var now = slot.Look();
            if (!before.IsCertain || !now.IsCertain || now.Version != before.Version)
                continue;
            bool fits = before.State is not null && query.Fits(before.State);
            int times = found[slot.Id].Count();
            if (times != (fits ? 1 : 0))
                return $"{slot.Id} comes {times} times, and it is {before.State?.ToJson() ?? "deleted"}";
        }
        return null;
    }

    private async Task UntilDeathAsync(Func<Random, Task> step, int seed)
    {
        await Task.Yield();
        var random = new Random(seed);
        try
        {
            while (true)
                await step(random);
        }
        catch (Exception gone) when (gone is HttpRequestException or IOException or TaskCanceledException)
        {
            return;
        }
        catch (Exception unexpected)
        {
            _failures.Enqueue(unexpected.ToString());
        }
    }

    private async Task WriteAsync(HttpClient client, string url, Random random, int writer, int writers)
    {
        var slot = slots[random.Next(slots.Count / writers) * writers + writer];
        var now = slot.Acknowledged;
        var next = now is not null && random.Next(5) == 0 ? null : IndexedDocument.Some(random);
        string path = $"{url}/databases/{database}/docs?id={slot.Id}";
        if (now is not null && next is not null && next.Collection != now.Collection)
        {
            if (random.Next(2) == 0)
                next = next with { Collection = now.Collection };
            else if (random.Next(2) == 0)
            {
                await MoveAsync(client, url, slot, next);
                return;
            }
            else
                next = null;
        }
        slot.Begin(next);
        using var answer = next is null ? await client.DeleteAsync(path) : await client.PutAsync(path, new StringContent(next.ToJson()));
        await EndAsync(slot, answer);
    }

    /// <summary>A document changes its collection by being deleted and put again, here in one transaction.</summary>
    private async Task MoveAsync(HttpClient client, string url, IndexedSlot slot, IndexedDocument next)
    {
        string batch =
            $$"""{"Commands":[{"Type":"DELETE","Id":"{{slot.Id}}"},{"Type":"PUT","Id":"{{slot.Id}}","Document":{{next.ToJson()}}}]}""";
        slot.Begin(next);
        using var answer = await client.PostAsync($"{url}/databases/{database}/bulk_docs", new StringContent(batch));
        await EndAsync(slot, answer);
    }

    private async Task EndAsync(IndexedSlot slot, HttpResponseMessage answer)
    {
        string text = await answer.Content.ReadAsStringAsync();
        if (!answer.IsSuccessStatusCode)
        {
            _failures.Enqueue($"A write of {slot.Id} was answered with {answer.StatusCode}: {text}");
            return;
        }
        slot.End();
        Interlocked.Increment(ref _writes);
    }

    private async Task AskAsync(HttpClient client, string url, Random random)
    {
        var query = IndexedQuery.Some(random);
        var looks = slots.Select(slot => (slot, slot.Look())).ToList();
        using var answer = await client.PostAsync(
            $"{url}/databases/{database}/queries",
            new StringContent(query.Body(waits: random.Next(2) == 0))
        );
        string text = await answer.Content.ReadAsStringAsync();
        if (answer.StatusCode != HttpStatusCode.OK)
        {
            _failures.Enqueue($"{query}: {answer.StatusCode} {text}");
            return;
        }
        using var json = JsonDocument.Parse(text);
        var parsed = IndexedAnswer.Parse(json.RootElement);
        Interlocked.Increment(ref parsed.IsStale ? ref _staleAnswers : ref _freshAnswers);
        if (ProblemOf(query, parsed, looks) is { } problem)
            _failures.Enqueue($"{query}: {problem}\n{text[..Math.Min(text.Length, 300)]} … {text[^Math.Min(text.Length, 200)..]}");
    }
}
