namespace Jackdaw.Server.Hosting.Queues;

/// <summary>What became of the messages of a queue.</summary>
/// <param name="Sent">Sent again and deleted.</param>
/// <param name="SentTwice">Sent again, and still there: their deletion failed.</param>
/// <param name="Left">Left where they are.</param>
internal sealed record RedriveCounts(int Sent, int SentTwice, int Left);
