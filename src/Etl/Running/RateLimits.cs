using Jackdaw.Etl.Configuration;

namespace Jackdaw.Etl.Running;

/// <summary>How fast a task may send: documents of which something is sent, and messages. Belongs to the task's loop.</summary>
internal sealed class RateLimits(TimeProvider clock, RateLimit limit)
{
    private readonly TokenBucket _documents = new(clock, limit.DocumentsPerSecond);
    private readonly TokenBucket _messages = new(clock, limit.MessagesPerSecond);

    /// <summary>Documents that the next batch may have; one that was begun is sent whole, and what it takes too much is owed.</summary>
    public int Documents => _documents.Available;

    /// <summary>Messages likewise.</summary>
    public int Messages => _messages.Available;

    /// <summary>How long nothing may be sent.</summary>
    public TimeSpan Wait()
    {
        var documents = _documents.Wait();
        var messages = _messages.Wait();
        return documents > messages ? documents : messages;
    }

    public void Take(int documents, int messages)
    {
        _documents.Take(documents);
        _messages.Take(messages);
    }

    public void Set(RateLimit limit)
    {
        _documents.SetRate(limit.DocumentsPerSecond);
        _messages.SetRate(limit.MessagesPerSecond);
    }
}
