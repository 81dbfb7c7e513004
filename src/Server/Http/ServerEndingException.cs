namespace Jackdaw.Server.Http;

/// <summary>The server stops while a request waits for something.</summary>
internal sealed class ServerEndingException(string database)
    : Exception($"The server is stopping, and the database '{database}' closes with it. Ask again when it has started.");
