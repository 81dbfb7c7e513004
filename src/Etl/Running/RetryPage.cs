using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;

namespace Jackdaw.Etl.Running;

/// <summary>What is to be done with some dead letters.</summary>
internal sealed class RetryPage(RetryRequest request)
{
    private readonly List<OutboundMessage> _messages = [];
    private readonly List<(StoredDeadLetter Letter, byte[] Json)> _replacements = [];
    private readonly Retried _retried = new(request, request.AfterEtag);

    /// <summary>Null while none was found that has one.</summary>
    public TransformRun? Transform { get; set; }

    /// <summary>Looked at.</summary>
    public int Letters { get; set; }

    /// <summary>Dead letters that are sent.</summary>
    public int Sending => _retried.Count;

    public long Bytes { get; private set; }

    public IReadOnlyList<OutboundMessage> Messages => _messages;

    /// <summary>Documents that are written anew, whatever is sent.</summary>
    public IReadOnlyList<(StoredDeadLetter Letter, byte[] Json)> Replacements => _replacements;

    public int Superseded { get; private set; }

    public int Failed => _replacements.Count - Superseded;

    /// <summary>Where the next page begins.</summary>
    public long AfterEtag { get; set; }

    /// <summary>There is no next page.</summary>
    public bool IsEnd { get; set; }

    /// <param name="letter">The dead letter.</param>
    /// <param name="messages">What is sent of it.</param>
    /// <param name="targets">Of all messages that the change makes; empty when that is not known.</param>
    public void Send(StoredDeadLetter letter, IEnumerable<OutboundMessage> messages, IReadOnlyList<string> targets)
    {
        foreach (var message in messages)
        {
            _messages.Add(message);
            Bytes += message.SizeBytes;
        }
        _retried.Add(letter, _messages.Count, targets);
    }

    public void Replace(StoredDeadLetter letter, byte[] json, bool isSuperseded)
    {
        _replacements.Add((letter, json));
        Bytes += json.Length;
        Superseded += isSuperseded ? 1 : 0;
    }

    /// <summary>Null when there is nothing to send and no dead letter to remove.</summary>
    public Batch? ToBatch(Guid databaseId) => _retried.Count == 0 ? null : new Batch(Transform!, _messages, _retried, databaseId);
}
