namespace Jackdaw.Etl.Kafka;

/// <summary>Who writes a task's positions.</summary>
/// <param name="Server">The server's id, made with its data folder.</param>
/// <param name="Start">Which start of the task in this database it is, from 1. For people: a copied folder counts on by itself.</param>
/// <param name="Run">Drawn at the start: tells two servers apart that run on copies of one folder.</param>
internal sealed record KafkaOwner(Guid Server, long Start, Guid Run)
{
    public override string ToString() => $"server {Server:D}, start {Start}";
}
