using System.Globalization;
using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>
/// Random writes and deletions, a receiver that refuses some messages for a while, retries at random, faults and crashes where a
/// seed says. Oracle: the receiver's
/// ledger against the documents. Seeds can be given: ETL_SEED (one), ETL_SEEDS (how many).
/// </summary>
public class RetryPropertyTests
{
    private const string Right =
        "loadToOut({ v: this.v }); if (this.v % 3 === 0) loadToOther({ v: this.v }); function deleted(id) { loadToOut({ gone: id }); }";
    private const string Wrong = "if (this.v % 5 === 0) throw new Error('thrown'); " + Right;

    private static int SeedCount => int.Parse(Environment.GetEnvironmentVariable("ETL_SEEDS") ?? "24", CultureInfo.InvariantCulture);

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Retries_lose_nothing_and_never_send_an_older_state_after_a_newer_one(bool sinkKeepsPositions)
    {
        var crashed = new HashSet<string>();
        var only = Environment.GetEnvironmentVariable("ETL_SEED");
        var seeds = only is null ? Enumerable.Range(1, SeedCount) : [int.Parse(only, CultureInfo.InvariantCulture)];
        foreach (int seed in seeds)
        {
            try
            {
                await new Run(seed, crashed, sinkKeepsPositions).PlayAsync();
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
            }
        }
        if (only is null)
            Assert.Superset(new HashSet<string> { Failpoint.RetrySent, Failpoint.RetryRemoved }, crashed);
    }

    private sealed class Run(int seed, HashSet<string> crashed, bool keeps)
    {
        private KeptBroker? _broker;
        private readonly Random _random = new(seed);
        private readonly Dictionary<string, (string ChangeVector, int Version)> _documents = [];
        private readonly HashSet<string> _elsewhere = [];
        private bool _hasTrouble = seed % 4 != 0;
        private double _refused = 0.25;
        private int _mishaps;

        public async Task PlayAsync()
        {
            await using var scene = await Scene.OpenAsync();
            scene.Limits = scene.Limits with { MaxBatchDocuments = _random.Next(1, 8), MaxBatchMessages = _random.Next(1, 8) };
            scene.AtFailpoint = name =>
            {
                if (!_hasTrouble || _random.Next(keeps ? 50 : 15) > 0)
                    return;
                _mishaps++;
                crashed.Add(name);
                throw new SimulatedCrashException(name);
            };
            await StartAsync(scene, Wrong);
            for (int version = 1; version <= 60; version++)
            {
                await WriteAsync(scene, version);
                if (_random.Next(4) == 0)
                    scene.Task.Retry(Request(scene));
                if (_random.Next(2) == 0)
                    await StepAsync(scene, Wrong, toRest: false);
            }
            await ForgiveAsync(scene);
            Check(scene);
        }

        /// <summary>The receiver takes everything, the script is right; what is dead is retried until nothing is.</summary>
        private async Task ForgiveAsync(Scene scene)
        {
            while (!await StepAsync(scene, Wrong, toRest: true)) { }
            _refused = 0;
            _hasTrouble = false;
            await StartAsync(scene, Right);
            var request = Request(scene);
            scene.Task.Retry(request);
            scene.RunToRest();
            Assert.True(request.Outcome(7, "") is { IsDone: true, Failed: 0 });
        }

        private void Check(Scene scene)
        {
            Assert.All(scene.DeadLetters(), letter => Assert.Contains("\"State\":\"Superseded\"", letter, StringComparison.Ordinal));
            var received = scene.Ledger.Select(message => message.Id).ToHashSet();
            foreach (var (id, (changeVector, version)) in _documents)
            {
                Assert.True(received.Contains(changeVector), $"{id} in its last state, {changeVector}");
                Assert.True(
                    received.Contains($"{changeVector}#All/2") == (version % 3 == 0),
                    $"The second message of {id}, {changeVector}"
                );
            }
            using (var reader = scene.Database.OpenRead("test"))
            {
                var tombstones = reader.Tombstones("Orders", 0);
                while (tombstones.MoveNext())
                    Assert.Contains(System.Text.Encoding.ASCII.GetString(tombstones.Current.ChangeVector), received);
            }
            // Where messages and positions are one, nothing comes twice, however much went wrong.
            int forgiven = keeps ? 0 : _mishaps;
            foreach (var copies in scene.Ledger.GroupBy(message => message.Id))
                Assert.True(copies.Count() - 1 <= forgiven, $"{copies.Key} came {copies.Count()} times after {_mishaps} mishaps.");
            foreach (var document in scene.Ledger.GroupBy(message => message.Message.Origin.DocumentId))
            {
                var etags = document.Select(message => message.Message.Origin.Etag).ToArray();
                var firsts = etags.Distinct().ToArray();
                Assert.Equal(firsts.Order(), firsts);
                Assert.Equal(etags.Max(), etags[^1]);
            }
        }

        private RetryRequest Request(Scene scene)
        {
            string? one = null;
            if (_random.Next(2) == 0 && _refused > 0)
            {
                using var reader = scene.Database.OpenRead("test");
                var letters = reader.ByEtag(DeadLetter.Collection, 0);
                for (int skip = _random.Next(10); skip >= 0 && letters.MoveNext(); skip--)
                    one = System.Text.Encoding.UTF8.GetString(letters.Current.Id);
            }
            return new RetryRequest(new DeadLetterFilter { TaskId = 7, Id = one }, asStored: false, scene.Database.LastDurableEtag);
        }

        private async Task WriteAsync(Scene scene, int version)
        {
            string id = $"orders/{_random.Next(12)}";
            int kind = _random.Next(12);
            if (kind < 3 || _elsewhere.Contains(id))
            {
                await scene.DeleteAsync(id);
                _documents.Remove(id);
                _elsewhere.Remove(id);
            }
            if (kind < 2)
            {
                // It has moved: to the task it is deleted.
                await scene.PutAsync(id, "{}", "Archive");
                _elsewhere.Add(id);
            }
            if (kind < 3)
                return;
            _documents[id] = (await scene.PutAsync(id, JsonSerializer.Serialize(new { v = version })), version);
        }

        private Task StartAsync(Scene scene, string script) =>
            scene.StartAsync(
                Scene.Configuration(Scene.Transform(script) with { PublishDeletes = true }) with
                {
                    MaxFailedShare = 1,
                },
                Sink(scene),
                seed
            );

        private ISink Sink(Scene scene)
        {
            if (!keeps)
                return new RecordingSink(scene.Ledger, Deliver)
                {
                    Afterwards = seed % 2 == 0 ? null : static () => Task.Delay(1),
                    ReachesAhead = seed % 3 == 0,
                };
            _broker ??= new KeptBroker { Ledger = scene.Ledger };
            return new KeepingSink(_broker)
            {
                At = name =>
                {
                    Fail(name);
                    scene.AtFailpoint!(name);
                },
                CommitsAnyway = () => _hasTrouble && _random.Next(2) == 0,
                IsBad = _ => _random.NextDouble() < _refused,
            };
        }

        private void Deliver(RecordingSink sink, Delivery delivery)
        {
            for (int i = 0; i < delivery.Messages.Count; i++)
            {
                if (delivery.IsSettled(i))
                    continue;
                Fail("before sending");
                if (_random.NextDouble() < _refused)
                {
                    delivery.Try(i);
                    delivery.Reject(i, "Not now.");
                    continue;
                }
                sink.Receive(delivery, i);
                Fail("before the answer");
                delivery.Confirm(i);
            }
        }

        private void Fail(string where)
        {
            if (!_hasTrouble || _random.Next(keeps ? 40 : 12) > 0)
                return;
            _mishaps++;
            throw new SinkException(SinkFault.Sink, where);
        }

        /// <summary>Some steps; after a crash a new task. True when the task came to rest.</summary>
        private async Task<bool> StepAsync(Scene scene, string script, bool toRest)
        {
            try
            {
                for (int i = 0; toRest || i < 3; i++)
                {
                    var rest = scene.Task.RunStep();
                    if (rest == Timeout.InfiniteTimeSpan)
                    {
                        Assert.Equal(EtlTaskState.Idle, scene.Task.State);
                        return true;
                    }
                    scene.Clock.Advance(rest);
                }
                return false;
            }
            catch (SimulatedCrashException)
            {
                await StartAsync(scene, script);
                return false;
            }
        }
    }
}
