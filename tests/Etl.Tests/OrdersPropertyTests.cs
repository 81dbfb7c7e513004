using System.Globalization;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>People pause, resume and set positions while documents are written, sinks fail, the database is busy, and the server
/// dies at any step.</summary>
public class OrdersPropertyTests
{
    [Theory]
    [InlineData("answers each delivery")]
    [InlineData("keeps the positions")]
    [InlineData("reaches ahead")]
    public async Task Every_order_is_carried_out_once_whatever_fails_and_wherever_it_dies(string sink)
    {
        int first = int.TryParse(Environment.GetEnvironmentVariable("ETL_SEED"), CultureInfo.InvariantCulture, out int one) ? one : 1;
        int last = one > 0 ? one : int.Parse(Environment.GetEnvironmentVariable("ETL_SEEDS") ?? "15", CultureInfo.InvariantCulture);
        int carriedOut = 0;
        for (int seed = first; seed <= last; seed++)
        {
            await using var run = new Run(await Scene.OpenAsync(), seed, sink);
            try
            {
                carriedOut += await run.PlayAsync();
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
            }
        }
        Assert.True(one > 0 || carriedOut > last, $"Only {carriedOut} orders were carried out.");
    }

    private sealed class Run(Scene scene, int seed, string sink) : IAsyncDisposable
    {
        private readonly Random _random = new(seed);
        private readonly KeptBroker _broker = new() { Ledger = scene.Ledger };
        private readonly OrderStore _orders = new(scene.Database, 7);
        private KeepingSink? _keeping;
        private ReachingSink? _reaching;
        private WireTrouble? _wire;
        private double _trouble = 0.06;
        private int _documents;

        // The last position that was ordered, and what had been received when it was carried out; -1 while it is not.
        private long _ordered = -1;
        private int _receivedBefore = -1;
        private int _carriedOut;

        private bool _isPaused;

        // What had been received when the task was seen to be paused; -1 while it was not.
        private int _receivedAtPause = -1;

        public async Task<int> PlayAsync()
        {
            scene.Limits = scene.Limits with { MaxBatchDocuments = _random.Next(1, 6) };
            scene.AtFailpoint = Trouble;
            _wire = new WireTrouble(_random) { Chance = _trouble * 2 };
            await StartAsync();
            for (int i = 0; i < 120; i++)
                await ActAsync(_random.Next(12));
            _trouble = 0;
            _wire!.Chance = 0;
            await _orders.ResumeAsync(takesOver: false);
            (_isPaused, _receivedAtPause) = (false, -1);
            await StartAsync();
            while (!await StepAsync()) { }
            Check();
            return _carriedOut;
        }

        public ValueTask DisposeAsync() => scene.DisposeAsync();

        private async Task ActAsync(int what)
        {
            switch (what)
            {
                case < 4:
                    await scene.PutAsync($"orders/{++_documents}", $"{{\"n\":{_documents}}}");
                    break;
                case < 8:
                    await StepAsync();
                    break;
                case 8:
                    await StartAsync();
                    break;
                case 9:
                    (_ordered, _receivedBefore) = (_random.NextInt64(0, scene.Database.LastDurableEtag + 1), -1);
                    await _orders.SetPositionAsync(
                        new PositionOrder(_random.Next(2) == 0 ? null : "ALL", scene.Database.Id, _ordered),
                        takesOver: false
                    );
                    (_isPaused, _receivedAtPause) = (false, -1);
                    await TellAsync(() => scene.Task.Resume());
                    break;
                case 10:
                    await _orders.PauseAsync();
                    _isPaused = true;
                    await TellAsync(() => scene.Task.Pause());
                    break;
                default:
                    await _orders.ResumeAsync(takesOver: false);
                    (_isPaused, _receivedAtPause) = (false, -1);
                    await TellAsync(() => scene.Task.Resume());
                    break;
            }
        }

        /// <summary>The server may die between the answer and the telling.</summary>
        private async Task TellAsync(Action tell)
        {
            if (_random.Next(2) == 0)
                tell();
            else
                await StartAsync();
        }

        private bool KeepsPositions => sink == "keeps the positions";

        private bool ReachesAhead => sink == "reaches ahead";

        private Task StartAsync() =>
            scene.StartAsync(
                Scene.Configuration(Scene.Transform("loadToA({ n: this.n });")),
                KeepsPositions ? Keeping()
                    : ReachesAhead ? _reaching = new ReachingSink(_wire!, scene.Ledger)
                    : Recording(),
                seed
            );

        /// <summary>True when the task is at rest.</summary>
        private async Task<bool> StepAsync()
        {
            bool isOutstanding = IsOutstanding();
            // What was on its way before the order is none of what the order brings.
            if (isOutstanding)
                _keeping?.Decide();
            int received = scene.Ledger.Count;
            bool isAtRest = false;
            try
            {
                var rest = scene.Task.RunStep();
                isAtRest = rest == Timeout.InfiniteTimeSpan;
                if (!isAtRest)
                    scene.Clock.Advance(rest);
            }
            catch (SimulatedCrashException)
            {
                await StartAsync();
            }
            if (isOutstanding && !IsOutstanding())
            {
                _receivedBefore = received;
                _carriedOut++;
            }
            if (_receivedAtPause >= 0)
                Assert.Equal(_receivedAtPause, scene.Ledger.Count);
            else if (_isPaused && scene.Task.State == EtlTaskState.Paused)
                _receivedAtPause = scene.Ledger.Count;
            return isAtRest;
        }

        private bool IsOutstanding()
        {
            using var reader = scene.Database.OpenRead("test");
            return _orders.Positions(reader).Count > 0;
        }

        private void Check()
        {
            Assert.Equal((EtlTaskState.Idle, scene.Database.LastDurableEtag), (scene.Task.State, scene.Task.Status().Transforms[0].Etag));
            Assert.False(IsOutstanding());
            long from = Math.Max(0, _ordered);
            var sent = scene.Ledger.Skip(Math.Max(0, _receivedBefore)).Select(received => received.Message.Origin.Etag).ToArray();
            // Each document was written once: its etags are all that there are.
            // What was on the wire to a sink that is only blocked arrives late.
            var late = ReachesAhead ? sent.Where(etag => etag <= from) : [];
            Assert.Equal(
                Enumerable.Range(1, _documents).Select(etag => (long)etag).Where(etag => etag > from),
                sent.Except(late).Distinct().Order()
            );
            if (KeepsPositions)
                Assert.Equal(sent.Distinct(), sent);
        }

        private void Trouble(string name)
        {
            if (name == Failpoint.OnItsWay)
                _reaching?.Release();
            if (_random.NextDouble() >= _trouble)
                return;
            throw _random.Next(3) switch
            {
                0 when name == Failpoint.Position => new MergerQueueFullException("shop", 1, 1),
                _ => new SimulatedCrashException(name),
            };
        }

        private void Fail(string name)
        {
            if (_random.NextDouble() < _trouble * 2)
                throw new SinkException(SinkFault.Sink, $"A fault at {name}.");
        }

        private KeepingSink Keeping() => _keeping = new KeepingSink(_broker) { At = Fail, CommitsAnyway = () => _random.Next(2) == 0 };

        private RecordingSink Recording() =>
            new(
                scene.Ledger,
                (own, delivery) =>
                {
                    Fail("sending");
                    own.ReceiveRest(delivery);
                    Fail("answering");
                }
            );
    }
}
