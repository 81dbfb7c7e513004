namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>A command cannot be carried out; told to the client on its socket, which stays open.</summary>
internal sealed class ChangesCommandException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="message">What is wrong with it.</param>
    /// <param name="commandId">Which command; null where that could not be read.</param>
    public ChangesCommandException(string message, long? commandId)
        : base(message) => CommandId = commandId;

    /// <summary>The command's own id.</summary>
    public long? CommandId { get; }
}
