namespace Jackdaw.FunctionHost.Triggers;

/// <summary>What takes messages from somewhere and runs a function with them.</summary>
internal interface ITrigger
{
    /// <summary>Runs until the token is cancelled, whatever fails meanwhile: brokers that are away are asked again. Returns once no
    /// message is under way any more.</summary>
    /// <param name="intake">Ends the taking of messages; those that are under way go on.</param>
    /// <param name="stop">Ends those that are under way, too; they come again.</param>
    Task RunAsync(CancellationToken intake, CancellationToken stop);
}
