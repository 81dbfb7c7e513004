namespace Jackdaw.Etl.Sinks;

/// <summary>What a sink keeps for a task at the receiver, and nobody needs any more when the task is gone.</summary>
internal interface ISinkRemains
{
    /// <summary>Called once the task's removal is durable, and tried once, within a few seconds.</summary>
    /// <returns>What stays there, why, and what a person can do; null: nothing does.</returns>
    Task<string?> RemoveAsync();
}
