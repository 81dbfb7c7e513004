using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Tests.Serving;
using Xunit.Abstractions;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>
/// Writers append and delete while readers follow streams and tags, read fast or slowly, break their connections and resume. Each reader
/// gets every event that concerns it and is not deleted, once and in order, and nothing else. The seed is in the failure; JACKDAW_TEST_SEED
/// sets it. It decides what is drawn, not how threads take turns.
/// </summary>
public sealed class LiveReadPropertyTests(ITestOutputHelper output)
{
    private const int Seeds = 4;
    private const int Writers = 3;
    private const int Readers = 8;
    private const int AppendsPerWriter = 150;
    private const int Streams = 6;
    private const int Tags = 4;

    /// <summary>Small, so that readers fall behind, and answers go over several transactions.</summary>
    private static readonly LiveReadLimits s_limits = new() { MaxKeptPositions = 5, PieceBytes = 1500 };

    [Fact]
    public async Task Readers_get_every_event_that_concerns_them_once_and_in_order_and_nothing_else()
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var given) ? given : Random.Shared.Next();
        for (var last = seed + Seeds; seed < last; seed++)
        {
            output.WriteLine($"Seed {seed}");
            try
            {
                await new Run(seed).RunAsync();
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"Seed {seed}: {failure.Message}", failure);
            }
        }
    }

    private sealed record Stored(string Stream, long Number, string[] Tags);

    private sealed class Run(int seed)
    {
        private readonly ConcurrentDictionary<long, Stored> _stored = new();
        private readonly long[] _highest = new long[Streams];
        private readonly long[] _deleted = new long[Streams];
        private ServerScene _scene = null!;
        private volatile bool _isWritten;

        public async Task RunAsync()
        {
            await using var scene = _scene = await ServerScene.OpenAsync(live: s_limits);
            // Each look at the time takes so long that a reader is due after a few rows.
            scene.Clock.Step = TimeSpan.FromMilliseconds(5);
            var readers = Enumerable.Range(0, Readers).Select(i => Task.Run(() => ReadAsync(new Random((seed * 100) + i)))).ToList();
            var writing = Task.WhenAll(
                Enumerable.Range(0, Writers).Select(i => Task.Run(() => WriteAsync(i, new Random((seed * 100) + 50 + i))))
            );
            await Task.WhenAny(writing, Task.WhenAny(readers)).WaitAsync(Eventually.Patience);
            await writing.WaitAsync(Eventually.Patience);
            _isWritten = true;
            var reading = Task.WhenAll(readers);
            await Eventually.IsAsync(() =>
            {
                _scene.LiveClock.Advance(s_limits.Heartbeat);
                _scene.State.LiveReads.Beat();
                return reading.IsCompleted;
            });
            await reading;
            Assert.Equal(0, scene.State.LiveReads.ReaderCount);
            Assert.Equal(0, scene.Database.StorageStatistics().Readers);
        }

        /// <summary>Each writer has streams of its own.</summary>
        private async Task WriteAsync(int writer, Random random)
        {
            for (var i = 0; i < AppendsPerWriter; i++)
            {
                var append = new AppendOperation(Limits.Default);
                var groups = new List<(int Stream, List<Stored> Events)>();
                foreach (var stream in Enumerable.Range(0, Streams).Where(s => s % Writers == writer && random.Next(2) == 0))
                    groups.Add((stream, AddGroup(append, stream, random)));
                if (groups.Count == 0)
                    continue;
                append.Complete();
                await _scene.Database.SubmitAsync(append);
                for (var g = 0; g < groups.Count; g++)
                {
                    Assert.Equal(AppendOutcome.Stored, append.Groups[g].Outcome);
                    var position = append.Groups[g].LastPosition - groups[g].Events.Count;
                    foreach (var stored in groups[g].Events)
                        Assert.True(_stored.TryAdd(++position, stored));
                }
                if (random.Next(6) == 0)
                    await DeleteAsync(groups[0].Stream, random);
                if (random.Next(4) == 0)
                    await Task.Delay(random.Next(3));
            }
        }

        private List<Stored> AddGroup(AppendOperation append, int stream, Random random)
        {
            var group = append.AddGroup();
            group.SetStream(Encoding.UTF8.GetBytes($"s{stream}"));
            _highest[stream] += random.Next(3) == 0 ? random.Next(5) : 0;
            group.First = _highest[stream] + 1;
            var events = new List<Stored>();
            for (var n = random.Next(1, 5); n > 0; n--)
            {
                string[] tags = [.. Enumerable.Range(0, Tags).Where(_ => random.Next(4) == 0).Select(t => $"t{t}")];
                group.Add(
                    new NewEvent
                    {
                        Payload = new byte[random.Next(10) == 0 ? 3000 : random.Next(100)],
                        Tags = [.. tags.Select(tag => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(tag))],
                    }
                );
                events.Add(new Stored($"s{stream}", ++_highest[stream], tags));
            }
            return events;
        }

        private async Task DeleteAsync(int stream, Random random)
        {
            var upTo = _highest[stream] - random.Next(4);
            var deletion = new DeleteEventsOperation(Encoding.UTF8.GetBytes($"s{stream}"), Math.Max(0, upTo));
            await _scene.Database.SubmitAsync(deletion);
            Volatile.Write(ref _deleted[stream], deletion.DeletedUpTo);
        }

        private async Task ReadAsync(Random random)
        {
            string[] streams = [.. Enumerable.Range(0, Streams + 1).Where(_ => random.Next(4) == 0).Select(s => $"s{s}")];
            string[] tags = [.. Enumerable.Range(0, Tags + 1).Where(_ => random.Next(5) == 0).Select(t => $"t{t}")];
            var wakes = random.Next(4) == 0;
            var isNamed = wakes && random.Next(2) == 0;
            var isEverything = isNamed && random.Next(2) == 0;
            var query =
                string.Concat(streams.Select(s => $"&stream={s}").Concat(tags.Select(t => $"&tag={t}")))
                + (wakes ? "&wakeOnly" : "")
                + (isNamed ? "&named=true" : "")
                + (isEverything ? "&everything=true" : "");
            var got = new List<long>();
            var wakings = new List<(long After, JsonElement Line)>();
            long place = 0;
            while (!_isWritten || place < _scene.Database.LastDurableEtag)
            {
                long[] deleted = [.. Enumerable.Range(0, Streams).Select(s => Volatile.Read(ref _deleted[s]))];
                await using var client = await LiveClient.ConnectAsync(_scene, $"?after={place}{query}");
                Assert.Equal(place, client.First);
                for (var left = random.Next(1, 60); left > 0 && (!_isWritten || place < _scene.Database.LastDurableEtag); left--)
                {
                    if (random.Next(20) == 0)
                        await Task.Delay(random.Next(15));
                    var line = await client.NextAsync();
                    if (isNamed)
                        wakings.Add((place, line));
                    place = Take(line, place, got, deleted);
                }
            }
            if (isNamed)
                wakings.ForEach(one => VerifyNames(query, streams, tags, one.After, one.Line));
            if (!isEverything)
                Verify(query, streams, tags, wakes, place, got);
        }

        private static long Take(JsonElement line, long place, List<long> got, long[] deleted)
        {
            if (line.TryGetProperty("durable", out var durable))
            {
                Assert.True(durable.GetInt64() >= place, $"durable {durable} comes after {place}");
                return durable.GetInt64();
            }
            var position = line.GetProperty("position").GetInt64();
            Assert.True(position > place, $"position {position} comes after {place}");
            var stream = int.Parse(line.GetProperty("stream").GetString()![1..], CultureInfo.InvariantCulture);
            Assert.True(line.GetProperty("number").GetInt64() > deleted[stream], $"{line} was deleted before the reader began");
            got.Add(position);
            return position;
        }

        /// <summary>A line names exactly the reader's streams and tags of what was stored since the line before, or any.</summary>
        private void VerifyNames(string query, string[] streams, string[] tags, long after, JsonElement line)
        {
            Assert.False(line.TryGetProperty("error", out _), $"{query}: {line}");
            if (line.TryGetProperty("any", out _))
                return;
            var stored = _stored.Where(s => s.Key > after && s.Key <= line.GetProperty("durable").GetInt64()).Select(s => s.Value).ToList();
            Assert.Equal(streams.Intersect(stored.Select(s => s.Stream)).Order(), Names(line, "streams"));
            Assert.Equal(tags.Intersect(stored.SelectMany(s => s.Tags)).Order(), Names(line, "tags"));
        }

        private static IEnumerable<string> Names(JsonElement line, string member) =>
            line.TryGetProperty(member, out var names) ? names.EnumerateArray().Select(name => name.GetString()!).Order() : [];

        private void Verify(string query, string[] streams, string[] tags, bool wakes, long place, List<long> got)
        {
            var isAll = streams.Length + tags.Length == 0;
            var concerns = _stored
                .Where(s => isAll || streams.Contains(s.Value.Stream) || tags.Intersect(s.Value.Tags).Any())
                .ToDictionary(s => s.Key, s => s.Value);
            Assert.True(place >= concerns.Keys.DefaultIfEmpty().Max());
            if (wakes)
            {
                Assert.Empty(got);
                return;
            }
            Assert.True(got.TrueForAll(concerns.ContainsKey), $"{query}: events that do not concern it");
            var missing = concerns
                .Where(s => s.Value.Number > _deleted[int.Parse(s.Value.Stream[1..], CultureInfo.InvariantCulture)])
                .Select(s => s.Key)
                .Except(got)
                .Order()
                .ToList();
            Assert.True(missing.Count == 0, $"{query}: missing {string.Join(' ', missing)}");
        }
    }
}
