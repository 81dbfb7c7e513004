using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>Asks a recorder that may stop and start again to write texts, each attempt with another text, until it says that one is
/// stored.</summary>
internal sealed class InsistentWriter(IActorRef recorder)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);

    private readonly List<string> _acknowledged = [];
    private int _attempts;

    /// <summary>How many texts it has asked to write.</summary>
    public int Attempts => Volatile.Read(ref _attempts);

    /// <summary>How many are stored.</summary>
    public int Acknowledged
    {
        get
        {
            lock (_acknowledged)
                return _acknowledged.Count;
        }
    }

    /// <summary>Returns once so many texts more are stored.</summary>
    public async Task WriteAsync(int texts)
    {
        for (var enough = Acknowledged + texts; Acknowledged < enough; )
        {
            var text = $"{Interlocked.Increment(ref _attempts)}";
            try
            {
                var written = await recorder.Ask<Written>(new Write(text), Patience);
                Assert.Equal(text, written.Text);
                lock (_acknowledged)
                    _acknowledged.Add(text);
            }
            catch (AskTimeoutException)
            {
                // The recorder has stopped, or is about to start again.
            }
        }
    }

    /// <summary>Every text that was acknowledged is there, all are there once, and in the order in which they were written.</summary>
    public void Verify(Texts recovered)
    {
        int[] attempts = [.. recovered.All.Select(int.Parse)];
        for (var i = 1; i < attempts.Length; i++)
            Assert.True(attempts[i] > attempts[i - 1], $"Text {attempts[i]} follows text {attempts[i - 1]}.");
        Assert.Empty(_acknowledged.Except(recovered.All));
    }
}
